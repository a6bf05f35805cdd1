// Host code and a kernel work on pinned and on managed memory.
#include <cuda_runtime.h>

__global__ void double_kernel(float* x, int n) {  // x: [n]
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}

// [managed]
extern "C" void with_managed(float* out, int n, cudaStream_t stream) {  // out: [n], device memory
    float* x;
    cudaMallocManaged(&x, n * sizeof(float));
    for (int i = 0; i < n; ++i) x[i] = i;                   // the CPU writes
    double_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, n);  // the GPU reads and writes the same pointer
    cudaStreamSynchronize(stream);
    for (int i = 0; i < n; ++i) x[i] += 1;                  // the CPU again
    cudaMemcpyAsync(out, x, n * sizeof(float), cudaMemcpyDefault, stream);
    cudaStreamSynchronize(stream);
    cudaFree(x);
}
// [/managed]

// [pinned]
extern "C" void with_pinned(float* out, int n, cudaStream_t stream) {
    float* x;
    cudaMallocHost(&x, n * sizeof(float));
    for (int i = 0; i < n; ++i) x[i] = i;
    cudaMemcpyAsync(out, x, n * sizeof(float), cudaMemcpyDefault, stream);  // the host goes on at once
    double_kernel<<<(n + 255) / 256, 256, 0, stream>>>(out, n);             // same stream: after the copy
    cudaStreamSynchronize(stream);                                          // before x goes away
    cudaFreeHost(x);
}
// [/pinned]
