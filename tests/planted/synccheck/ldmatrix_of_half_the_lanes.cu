// expect: divergent warp
#include "../../../csrc/ptx.cuh"

#include <cuda_runtime.h>

// ldmatrix_x2 takes 16 addresses, but all lanes have to execute it.
__global__ void load(const float* x, int* ints) {
    __shared__ __align__(16) float rows[16][4];
    int lane = threadIdx.x;
    for (int i = lane; i < 16 * 4; i += 32) rows[i / 4][i % 4] = x[i];
    __syncthreads();
    uint32_t r[2] = {};
    if (lane < 16) ldmatrix_x2(r, rows[lane]);  // here
    __syncwarp();
    ints[lane] = int(r[0] ^ r[1]);
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) { load<<<1, 32, 0, stream>>>(x, ints); }
