// expect: load out of bounds
#include <cuda_runtime.h>

// The first element has no left neighbour: an index below zero.
__device__ float left_of(const float* p, int i) {
    return p[i - 1];  // here
}

__global__ void difference(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] - left_of(x, i);
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    difference<<<(n + 63) / 64, 64, 0, stream>>>(x, out, n);
}
