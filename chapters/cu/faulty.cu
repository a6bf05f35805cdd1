// Five kernels and a host function, each with one fault that often goes unseen.
#include <cuda_runtime.h>

// [bounds]
// out[i] = x[i - 1] + x[i + 1], 0 < i < n - 1
__global__ void neighbours_kernel(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i - 1] + x[i + 1];
}
// [/bounds]

extern "C" void neighbours(const float* x, float* out, int n, cudaStream_t stream) {
    neighbours_kernel<<<(n + 63) / 64, 64, 0, stream>>>(x, out, n);
}

// [local]
// out[4 t + b] = how many of thread t's 8 values lie in quarter b of [0, 1]
__global__ void quarters_kernel(const float* x, int* out) {
    int count[4] = {};
    for (int k = 0; k < 8; ++k) ++count[int(4 * x[8 * threadIdx.x + k])];
    for (int b = 0; b < 4; ++b) out[4 * threadIdx.x + b] = count[b];
}
// [/local]

extern "C" void quarters(const float* x, int* out, cudaStream_t stream) {
    quarters_kernel<<<1, 64, 0, stream>>>(x, out);
}

// [race]
// out[i] = x reversed within a block of 64
__global__ void reverse_kernel(const float* x, float* out) {
    __shared__ float tile[64];
    tile[threadIdx.x] = x[64 * blockIdx.x + threadIdx.x];
    out[64 * blockIdx.x + threadIdx.x] = tile[63 - threadIdx.x];
}
// [/race]

extern "C" void reverse(const float* x, float* out, int blocks,
                        cudaStream_t stream) {
    reverse_kernel<<<blocks, 64, 0, stream>>>(x, out);
}

// [unwritten]
// total = sum of x, n <= 64
__global__ void sum_kernel(const float* x, float* total, int n) {
    __shared__ float part[64];
    if (threadIdx.x < n) part[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) *total = part[0];
}
// [/unwritten]

extern "C" void sum(const float* x, float* total, int n, cudaStream_t stream) {
    sum_kernel<<<1, 64, 0, stream>>>(x, total, n);
}

// [barrier]
// x shifted by one within a block
__global__ void shift_kernel(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float mine = x[i];
    __syncthreads();
    if (threadIdx.x + 1 < blockDim.x && i + 1 < n) x[i + 1] = mine;
}
// [/barrier]

extern "C" void shift(float* x, int n, cudaStream_t stream) {
    shift_kernel<<<(n + 63) / 64, 64, 0, stream>>>(x, n);
}

// [host]
// out[0] = x[0], by way of pinned memory of the host
extern "C" void by_host(const float* x, float* out, cudaStream_t stream) {
    float* pinned;
    cudaMallocHost(&pinned, sizeof(float));
    cudaMemcpyAsync(pinned, x, sizeof(float), cudaMemcpyDeviceToHost, stream);
    float early = *pinned;
    cudaStreamSynchronize(stream);
    cudaMemcpyAsync(out, &early, sizeof(float), cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    cudaFreeHost(pinned);
}
// [/host]
