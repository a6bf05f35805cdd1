// Inline PTX.
#include <cuda_runtime.h>

// [kernel]
__global__ void lane_kernel(float* x) {
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));  // here
    x[threadIdx.x] = lane;
}
// [/kernel]

extern "C" void run(float* x) { lane_kernel<<<1, 32>>>(x); }
