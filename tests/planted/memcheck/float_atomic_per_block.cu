// expect: atomic out of bounds
#include <cuda_runtime.h>

// One total a block, but memory for one block less.
__global__ void totals(const float* x, float* total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(total + blockIdx.x, x[i]);  // here
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    float* total;
    cudaMalloc(&total, (n / 100 - 1) * sizeof(float));
    cudaMemset(total, 0, (n / 100 - 1) * sizeof(float));
    totals<<<n / 100, 100, 0, stream>>>(x, total, n);
    cudaFree(total);
}
