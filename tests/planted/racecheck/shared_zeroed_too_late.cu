// expect: write after write
#include <cuda_runtime.h>

// The zero may come after the first additions: a barrier is missing.
__global__ void total(const float* x, int* ints) {
    __shared__ int above;
    if (threadIdx.x == 0) above = 0;  // other
    if (x[threadIdx.x] > 0.5f) atomicAdd(&above, 1);  // here
    __syncthreads();
    if (threadIdx.x == 0) ints[0] = above;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    total<<<1, 128, 0, stream>>>(x, ints);
}
