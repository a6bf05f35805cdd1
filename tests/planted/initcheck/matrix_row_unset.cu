// expect: uninitialised shared load
#include "../../../csrc/ptx.cuh"

#include <cuda_runtime.h>

// The tile is 16 x 16, and only 15 rows are filled.
__global__ void load(const float* x, int* ints) {
    __shared__ __align__(16) __half tile[16][16];
    int lane = threadIdx.x;
    for (int i = lane; i < 15 * 16; i += 32) tile[i / 16][i % 16] = __float2half(x[i]);
    __syncthreads();
    uint32_t r[4];
    ldmatrix_x4(r, &tile[lane % 16][lane / 16 * 8]);  // here
    ints[lane] = int(r[0] ^ r[1] ^ r[2] ^ r[3]);
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) { load<<<1, 32, 0, stream>>>(x, ints); }
