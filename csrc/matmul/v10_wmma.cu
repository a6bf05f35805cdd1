// Tensor cores by nvcuda::wmma: a warp multiplies tiles of 16 x 16 x 16 in one
// step.
#include <mma.h>

#include "tile.cuh"

namespace {

using namespace nvcuda;

constexpr int BM = 128, BN = 128, BK = 32;  // of a block
constexpr int WM = 64, WN = 32;             // of a warp
constexpr int THREADS = 32 * (BM / WM) * (BN / WN);
constexpr int PAD = 8;  // keeps rows at multiples of 16 bytes

template <typename T>
struct alignas(16) Vector {
    T element[8];
};

// [load]
// Eight neighbours of a row; what is behind its end counts as zero.
template <bool ALIGNED, typename T>
__device__ inline Vector<T> load8(const T* p, int64_t left) {
    Vector<T> v{};
    if constexpr (ALIGNED) {
        if (left > 0) v = *reinterpret_cast<const Vector<T>*>(p);
    } else {
        for (int i = 0; i < 8; ++i)
            if (i < left) v.element[i] = p[i];
    }
    return v;
}
// [/load]

// [kernel]
template <bool ALIGNED, typename T>
__global__ void __launch_bounds__(THREADS)
    kernel(const T* __restrict__ a,  // [m, k]
           const T* __restrict__ b,  // [k, n]
           T* __restrict__ c,  // [m, n]
           int64_t m, int64_t n, int64_t k) {
    __shared__ alignas(32) T a_smem[BM][BK + PAD], b_smem[BK][BN + PAD];
    const Tile<BM, BN> tile(m, n);
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int x = warp % (BN / WN) * WN, y = warp / (BN / WN) * WM;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[WM / 16][WN / 16];
    for (auto& row : sum)
        for (auto& fragment : row) wmma::fill_fragment(fragment, 0.0f);

    for (int64_t k0 = 0; k0 < k; k0 += BK) {
        // global -> shared
        for (int i = threadIdx.x; i < BM * BK / 8; i += THREADS) {
            int ax = i % (BK / 8) * 8, ay = i / (BK / 8);
            int64_t row = tile.row + ay;
            *reinterpret_cast<Vector<T>*>(&a_smem[ay][ax]) =
                load8<ALIGNED>(&a[row * k + k0 + ax], row < m ? k - k0 - ax : 0);
        }
        for (int i = threadIdx.x; i < BK * BN / 8; i += THREADS) {
            int bx = i % (BN / 8) * 8, by = i / (BN / 8);
            int64_t column = tile.column + bx;
            *reinterpret_cast<Vector<T>*>(&b_smem[by][bx]) = load8<ALIGNED>(
                &b[(k0 + by) * n + column], k0 + by < k ? n - column : 0);
        }
        __syncthreads();
        for (int i = 0; i < BK; i += 16) {
            // shared -> registers
            wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major>
                a_reg[WM / 16];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::row_major>
                b_reg[WN / 16];
            for (int r = 0; r < WM / 16; ++r)
                wmma::load_matrix_sync(a_reg[r], &a_smem[y + 16 * r][i], BK + PAD);
            for (int s = 0; s < WN / 16; ++s)
                wmma::load_matrix_sync(b_reg[s], &b_smem[i][x + 16 * s], BN + PAD);
            for (int r = 0; r < WM / 16; ++r)
                for (int s = 0; s < WN / 16; ++s)
                    wmma::mma_sync(sum[r][s], a_reg[r], b_reg[s], sum[r][s]);
        }
        __syncthreads();
    }
    // registers -> shared -> global: which element a lane holds, wmma does not tell
    __shared__ alignas(32) float c_smem[THREADS / 32][16][16];
    for (int r = 0; r < WM / 16; ++r)
        for (int s = 0; s < WN / 16; ++s) {
            wmma::store_matrix_sync(&c_smem[warp][0][0], sum[r][s], 16,
                                    wmma::mem_row_major);
            __syncwarp();
            for (int i = lane; i < 256; i += 32) {
                int64_t row = tile.row + y + 16 * r + i / 16;
                int64_t column = tile.column + x + 16 * s + i % 16;
                if (row < m && column < n)
                    c[row * n + column] = narrow<T>(c_smem[warp][i / 16][i % 16]);
            }
            __syncwarp();
        }
}
// [/kernel]

}  // namespace

template <typename T>
cudaError_t matmul_v10(const T* a, const T* b, T* c, int64_t m, int64_t n,
                       int64_t k, cudaStream_t stream) {
    auto launch = [&](auto function) {
        function<<<Tile<BM, BN>::count(m, n), THREADS, 0, stream>>>(a, b, c, m, n,
                                                                    k);
        return cudaGetLastError();
    };
    return aligned(a, b, c, n, k) ? launch(kernel<true, T>)
                                  : launch(kernel<false, T>);
}

#define INSTANTIATE(T)                                                        \
    template cudaError_t matmul_v10(const T*, const T*, T*, int64_t, int64_t, \
                                    int64_t, cudaStream_t);
INSTANTIATE(__half)
INSTANTIATE(__nv_bfloat16)
