// expect: unreachable barrier
#include <cuda_runtime.h>

// __syncthreads_or() is a barrier as well.
__global__ void any(const float* x, int* ints) {
    int t = threadIdx.x;
    if (x[t] >= 0 && t < 60) {
        int some = __syncthreads_or(x[t] > 0.9f);  // here
        ints[t] = some;
    }
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) { any<<<1, 96, 0, stream>>>(x, ints); }
