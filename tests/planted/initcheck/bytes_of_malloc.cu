// expect: uninitialised load
#include <cuda_runtime.h>

// A mask of bytes is written for every second element and read for all.
__global__ void mark(const float* x, unsigned char* mask, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i / 8 % 2 == 0 && i < n) mask[i] = x[i] > 0.5f;
}

__global__ void apply(const unsigned char* mask, int* ints, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) ints[i] = mask[i];  // here
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    unsigned char* mask;
    cudaMalloc(&mask, n);
    mark<<<4, 256, 0, stream>>>(x, mask, n);
    apply<<<4, 256, 0, stream>>>(mask, ints, n);
    cudaFree(mask);
}
