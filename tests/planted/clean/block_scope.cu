// Atomics of block scope on a counter of each block, and a flag that one thread sets for another.
#include <cuda_runtime.h>

__global__ void count(const float* x, int* ints, volatile int* flag, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > 0.5f) atomicAdd_block(ints + blockIdx.x, 1);
    if (blockIdx.x > 0) return;
    if (threadIdx.x == 0) {
        while (*flag == 0) {}
        __threadfence();
        ints[100] = ints[101] + 1;
    } else if (threadIdx.x == 127) {
        ints[101] = 6;
        __threadfence();
        *flag = 1;
    }
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    count<<<8, 128, 0, stream>>>(x, ints, ints + 200, n);
}
