// expect: uninitialised shared load
#include <cuda_runtime.h>

// The bins are counted up from whatever was there.
__global__ void histogram(const float* x, int* ints, int n) {
    __shared__ int bins[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[int(x[i] * 63)], 1);  // here
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&ints[threadIdx.x], bins[threadIdx.x]);
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    histogram<<<4, 256, 0, stream>>>(x, ints, n);
}
