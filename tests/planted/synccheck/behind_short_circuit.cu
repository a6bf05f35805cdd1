// expect: unreachable barrier
#include <cuda_runtime.h>

// What stands behind && is not evaluated by everyone.
__global__ void many(const float* x, int* ints) {
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    if (t > 0 && __syncthreads_count(x[t] > 0.5f) > 3)  // here
        ints[t] = 1;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    many<<<1, dim3(8, 8), 0, stream>>>(x, ints);
}
