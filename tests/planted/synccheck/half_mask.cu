// expect: bad warp mask
#include <cuda_runtime.h>

// The mask names 16 lanes, and all 32 call.
__global__ void sum(const float* x, float* out) {
    float v = x[threadIdx.x];
    for (int k = 8; k > 0; k /= 2) v += __shfl_down_sync(0x0000ffffu, v, k);  // here
    out[threadIdx.x] = v;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) { sum<<<1, 32, 0, stream>>>(x, out); }
