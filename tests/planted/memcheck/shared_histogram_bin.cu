// expect: shared atomic out of bounds
#include <cuda_runtime.h>

// 32 bins, and a value that falls into bin 32.
__global__ void histogram(const float* x, int* ints) {
    __shared__ int bins[32];
    int t = threadIdx.x;
    if (t < 32) bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[int(x[t] * 30) + t % 4], 1);  // here
    __syncthreads();
    if (t < 32) ints[t] = bins[t];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    histogram<<<1, 256, 0, stream>>>(x, ints);
}
