// expect: bad warp mask
#include <cuda_runtime.h>

// The mask was made for those below 20 and is used by the rest.
template <typename T>
__device__ T first_of(unsigned mask, T v) {
    return __shfl_sync(mask, v, 0);  // here
}

__global__ void branches(const float* x, float* out) {
    int lane = threadIdx.x % 32;
    unsigned mask = __ballot_sync(0xffffffffu, lane < 20);
    float v = x[threadIdx.x];
    if (lane >= 20) v = first_of(mask, v);
    out[threadIdx.x] = v;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    branches<<<1, dim3(32, 2), 0, stream>>>(x, out);
}
