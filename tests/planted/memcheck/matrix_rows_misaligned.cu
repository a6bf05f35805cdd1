// expect: misaligned access
#include "../../../csrc/ptx.cuh"

#include <cuda_runtime.h>

// Rows of 8 halfs with one of padding: every row but the first starts off a multiple of 16 bytes.
__global__ void load(const float* x, int* ints) {
    __shared__ __align__(16) __half tile[32][9];
    int lane = threadIdx.x;
    for (int i = 0; i < 9; ++i) tile[lane][i] = __float2half(x[9 * lane + i]);
    __syncthreads();
    uint32_t r[4];
    ldmatrix_x4(r, tile[lane]);  // here
    ints[lane] = int(r[0] ^ r[1] ^ r[2] ^ r[3]);
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) { load<<<1, 32, 0, stream>>>(x, ints); }
