// A shared array that a macro declares.
#include <cuda_runtime.h>

#define TILE(name) __shared__ float name[64]  // here

__global__ void reverse_kernel(float* x) {
    TILE(tile);
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[63 - threadIdx.x];
}

extern "C" void run(float* x) { reverse_kernel<<<1, 64>>>(x); }
