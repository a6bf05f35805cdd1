// A thread computes TM x TN elements: TM + TN values from shared memory serve TM *
// TN products.
#include "tile.cuh"

namespace {

constexpr int BM = 128, BN = 128, BK = 8;  // of a block
constexpr int TM = 8, TN = 8;              // of a thread
constexpr int THREADS = BM * BN / (TM * TN);

// [kernel]
template <typename T>
__global__ void __launch_bounds__(THREADS)
    kernel(const T* __restrict__ a,  // [m, k]
           const T* __restrict__ b,  // [k, n]
           T* __restrict__ c,        // [m, n]
           int64_t m, int64_t n, int64_t k) {
    __shared__ Compute<T> a_smem[BM][BK], b_smem[BK][BN];
    const Tile<BM, BN> tile(m, n);
    int x = threadIdx.x % (BN / TN) * TN, y = threadIdx.x / (BN / TN) * TM;
    Compute<T> sum[TM][TN] = {};
    for (int64_t k0 = 0; k0 < k; k0 += BK) {
        // global -> shared
        for (int i = threadIdx.x; i < BM * BK; i += THREADS) {
            int64_t row = tile.row + i / BK, column = k0 + i % BK;
            a_smem[i / BK][i % BK] =
                row < m && column < k ? widen(a[row * k + column]) : 0;
        }
        for (int i = threadIdx.x; i < BK * BN; i += THREADS) {
            int64_t row = k0 + i / BN, column = tile.column + i % BN;
            b_smem[i / BN][i % BN] =
                row < k && column < n ? widen(b[row * n + column]) : 0;
        }
        __syncthreads();
        for (int i = 0; i < BK; ++i) {
            // shared -> registers
            Compute<T> a_reg[TM], b_reg[TN];
            for (int r = 0; r < TM; ++r) a_reg[r] = a_smem[y + r][i];
            for (int s = 0; s < TN; ++s) b_reg[s] = b_smem[i][x + s];
            for (int r = 0; r < TM; ++r)
                for (int s = 0; s < TN; ++s) sum[r][s] += a_reg[r] * b_reg[s];
        }
        __syncthreads();
    }
    for (int r = 0; r < TM; ++r)
        for (int s = 0; s < TN; ++s) {
            int64_t row = tile.row + y + r, column = tile.column + x + s;
            if (row < m && column < n) c[row * n + column] = narrow<T>(sum[r][s]);
        }
}
// [/kernel]

}  // namespace

template <typename T>
cudaError_t matmul_v5(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k,
                      cudaStream_t stream) {
    kernel<<<Tile<BM, BN>::count(m, n), THREADS, 0, stream>>>(a, b, c, m, n, k);
    return cudaGetLastError();
}

#define INSTANTIATE(T)                                                       \
    template cudaError_t matmul_v5(const T*, const T*, T*, int64_t, int64_t, \
                                   int64_t, cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(__half)
INSTANTIATE(__nv_bfloat16)
