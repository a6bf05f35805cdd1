// expect: divergent barrier
#include <cuda_runtime.h>

// Two barriers that count, and each counts half.
__global__ void count(const float* x, int* ints) {
    int t = threadIdx.x, all;
    if (x[t] > 0.5f) all = __syncthreads_count(1);  // here
    else all = __syncthreads_count(0);  // other
    ints[t] = all;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    count<<<1, 256, 0, stream>>>(x, ints);
}
