// expect: read after write
#include "../../../csrc/ptx.cuh"

#include <cuda_runtime.h>

// Two warps fill the tile, and both read it all with no barrier between.
__global__ void load(const float* x, int* ints) {
    __shared__ __align__(16) __half tile[16][16];
    int t = threadIdx.x, lane = t % 32;
    for (int i = t; i < 16 * 16; i += 64) tile[i / 16][i % 16] = __float2half(x[i]);  // other
    uint32_t r[4];
    ldmatrix_x4(r, &tile[lane % 16][lane / 16 * 8]);  // here
    ints[t] = int(r[0] ^ r[1] ^ r[2] ^ r[3]);
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) { load<<<1, 64, 0, stream>>>(x, ints); }
