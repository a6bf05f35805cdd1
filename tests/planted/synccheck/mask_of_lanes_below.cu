// expect: bad warp mask
#include <cuda_runtime.h>

// The lanes below are not the lanes that call.
__device__ unsigned lanes_below() { return (1u << threadIdx.x % 32) - 1; }

__global__ void rank(const float* x, int* ints) {
    unsigned above = __ballot_sync(lanes_below(), x[threadIdx.x] > 0.5f);  // here
    ints[threadIdx.x] = __popc(above);
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    rank<<<1, 64, 0, stream>>>(x, ints);
}
