// atomicExch() may be the first to write; others add after the barrier.
#include <cuda_runtime.h>

__global__ void total(const float* x, int* ints) {
    __shared__ int count;
    if (threadIdx.x == 5) atomicExch(&count, 0);
    __syncthreads();
    if (x[threadIdx.x] > 0.5f) atomicAdd(&count, 1);
    __syncthreads();
    if (threadIdx.x == 0) ints[0] = count;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    total<<<1, 96, 0, stream>>>(x, ints);
}
