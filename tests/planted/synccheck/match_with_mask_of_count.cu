// expect: bad warp mask
#include <cuda_runtime.h>

// A mask made by a shift that is one too short: lane 31 is missing.
__global__ void groups(const float* x, int* ints) {
    unsigned mask = (1u << 31) - 1;
    ints[threadIdx.x] = __match_any_sync(mask, int(x[threadIdx.x] * 3));  // here
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    groups<<<1, 32, 0, stream>>>(x, ints);
}
