// A warp multiplies its own 16 rows; only lanes 0 to 15 give ldmatrix_x2 addresses, and cp.async fills what is not
// there with zeros.
#include "../../../csrc/ptx.cuh"

#include <cuda_runtime.h>

__global__ void multiply(const float* x, float* out, int rows) {
    __shared__ __align__(16) __half a[2][16][24];  // padded: rows of 48 bytes
    __shared__ __align__(16) __half b[16][8];
    __shared__ __align__(16) float raw[2][16][16];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    for (int i = lane; i < 64; i += 32) {
        int row = 16 * warp + i / 4;
        cp_async<16>(&raw[warp][i / 4][i % 4 * 4], x + (row < rows ? 16 * row + i % 4 * 4 : 0), row < rows ? 16 : 0);
    }
    cp_async_commit();
    for (int i = t; i < 16 * 8; i += 64) b[i / 8][i % 8] = __float2half(i / 8 == i % 8 ? 2.0f : 0.0f);
    cp_async_wait<0>();
    __syncwarp();
    for (int i = lane; i < 256; i += 32) a[warp][i / 16][i % 16] = __float2half(raw[warp][i / 16][i % 16]);
    __syncthreads();
    uint32_t fa[4], fb[2];
    float d[4] = {};
    ldmatrix_x4(fa, &a[warp][lane % 16][lane / 16 * 8]);
    ldmatrix_x2_trans(fb, lane < 16 ? b[lane] : nullptr);
    mma_m16n8k16<__half>(d, fa, fb);
    for (int i = 0; i < 4; ++i) {
        int row = 16 * warp + lane / 4 + 8 * (i / 2);
        if (row < rows) out[8 * row + 2 * (lane % 4) + i % 2] = d[i];
    }
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    multiply<<<1, 64, 0, stream>>>(x, out, 27);
}
