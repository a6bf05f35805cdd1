// expect: block-scoped atomics
#include <cuda_runtime.h>

// Atomics that only the threads of one block see as such, on a counter of all blocks.
__global__ void count(const float* x, int* ints, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > 0.5f) atomicAdd_block(ints, 1);  // here
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    count<<<8, 128, 0, stream>>>(x, ints, n);
}
