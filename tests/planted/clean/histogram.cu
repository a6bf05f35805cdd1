// Bins in shared memory by atomics, then added to the global ones by atomics.
#include <cuda_runtime.h>

__global__ void histogram(const float* x, int* ints, int n) {
    __shared__ int bins[64];
    for (int b = threadIdx.x; b < 64; b += blockDim.x) bins[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[min(63, int(x[i] * 64))], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < 64; b += blockDim.x)
        if (bins[b] > 0) atomicAdd(&ints[b], bins[b]);
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    histogram<<<5, 48, 0, stream>>>(x, ints, n);
}
