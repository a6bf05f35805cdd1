// expect: write after read
#include "../../../csrc/ptx.cuh"

#include <cuda_runtime.h>

// The next tile is stored while the other warp may still be at ldmatrix: the barrier behind it is missing.
__global__ void load(const float* x, int* ints) {
    __shared__ __align__(16) __half tile[16][16];
    int t = threadIdx.x, lane = t % 32;
    for (int step = 0; step < 2; ++step) {
        for (int i = t; i < 16 * 16; i += 64) tile[i / 16][i % 16] = __float2half(x[256 * step + i]);  // here
        __syncthreads();
        uint32_t r[4];
        ldmatrix_x4(r, &tile[lane % 16][lane / 16 * 8]);  // other
        ints[t] += int(r[0] ^ r[1] ^ r[2] ^ r[3]);
    }
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) { load<<<1, 64, 0, stream>>>(x, ints); }
