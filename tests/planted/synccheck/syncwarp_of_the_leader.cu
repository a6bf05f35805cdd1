// expect: bad warp mask
#include <cuda_runtime.h>

// Only lane 0 is named, but all wait.
__global__ void leader(const float* x, float* out) {
    __shared__ float s;
    if (threadIdx.x == 0) s = x[0];
    __syncwarp(1);  // here
    out[threadIdx.x] = s;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    leader<<<1, 32, 0, stream>>>(x, out);
}
