// A shared array of fixed size outside every function.
#include <cuda_runtime.h>

__shared__ float tile[64];  // here

__global__ void reverse_kernel(float* x) {
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[63 - threadIdx.x];
}

extern "C" void run(float* x) { reverse_kernel<<<1, 64>>>(x); }
