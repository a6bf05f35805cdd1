// A lock: one thread of each block adds to numbers that no atomic guards.
#include <cuda_runtime.h>

__global__ void add(const float* x, int* lock, volatile float* sum, volatile int* count) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *sum = *sum + x[blockIdx.x];
    *count = *count + 1;
    __threadfence();
    atomicExch(lock, 0);
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    cudaMemset(out, 0, sizeof(float));
    add<<<10, 32, 0, stream>>>(x, ints, out, ints + 1);
}
