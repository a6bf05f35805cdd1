// A kernel that launches a kernel.
#include <cuda_runtime.h>

__global__ void child_kernel(float* x) { x[threadIdx.x] = 1; }

__global__ void parent_kernel(float* x) {
    if (threadIdx.x == 0) child_kernel<<<1, 64>>>(x);
}

extern "C" void run(float* x) { parent_kernel<<<1, 32>>>(x); }  // here
