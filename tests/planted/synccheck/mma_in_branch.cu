// expect: divergent warp
#include "../../../csrc/ptx.cuh"

#include <cuda_runtime.h>

// The guard of the last columns parts the warp before mma.
__global__ void multiply(const float* x, float* out, int columns) {
    int lane = threadIdx.x;
    uint32_t one = 0x3f803f80, a[4] = {one, one, one, one}, b[2] = {one, one};
    float d[4] = {x[lane], 0, 0, 0};
    if (2 * (lane % 4) < columns) mma_m16n8k16<__nv_bfloat16>(d, a, b);  // here
    out[lane] = d[0] + d[3];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    multiply<<<1, 32, 0, stream>>>(x, out, 5);
}
