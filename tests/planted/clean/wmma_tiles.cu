// Each warp fills a tile of its own, multiplies it with itself and stores the product where the factors were.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;

__global__ void square(const float* x, float* out) {
    __shared__ __align__(32) __half tile[2][16 * 16];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int i = lane; i < 256; i += 32) tile[warp][i] = __float2half(x[256 * warp + i]);
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, __half> c;
    wmma::load_matrix_sync(a, tile[warp], 16);
    wmma::load_matrix_sync(b, tile[warp], 16);
    wmma::fill_fragment(c, __float2half(0.0f));
    wmma::mma_sync(c, a, b, c);
    __syncwarp();
    wmma::store_matrix_sync(tile[warp], c, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = lane; i < 256; i += 32) out[256 * warp + i] = __half2float(tile[warp][i]);
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) { square<<<1, 64, 0, stream>>>(x, out); }
