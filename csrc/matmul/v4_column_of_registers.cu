// A thread computes a column of TM elements: what it reads of b serves TM products.
#include "tile.cuh"

namespace {

constexpr int BM = 64, BN = 64, BK = 8;  // of a block
constexpr int TM = 8;  // of a thread
constexpr int THREADS = BM * BN / TM;

// [kernel]
template <typename T>
__global__ void __launch_bounds__(THREADS)
    kernel(const T* __restrict__ a,  // [m, k]
           const T* __restrict__ b,  // [k, n]
           T* __restrict__ c,  // [m, n]
           int64_t m, int64_t n, int64_t k) {
    __shared__ Compute<T> a_smem[BM][BK], b_smem[BK][BN];
    const Tile<BM, BN> tile(m, n);
    int x = threadIdx.x % BN,
        y = threadIdx.x / BN * TM;  // the thread's first element
    Compute<T> sum[TM] = {};
    for (int64_t k0 = 0; k0 < k; k0 += BK) {
        // global -> shared: each thread copies one element of a and one of b
        int ax = threadIdx.x % BK, ay = threadIdx.x / BK;
        int bx = threadIdx.x % BN, by = threadIdx.x / BN;
        int64_t ar = tile.row + ay, ac = k0 + ax, br = k0 + by,
                bc = tile.column + bx;
        a_smem[ay][ax] = ar < m && ac < k ? widen(a[ar * k + ac]) : 0;
        b_smem[by][bx] = br < k && bc < n ? widen(b[br * n + bc]) : 0;
        __syncthreads();
        for (int i = 0; i < BK; ++i) {
            Compute<T> b_reg = b_smem[i][x];
            for (int r = 0; r < TM; ++r) sum[r] += a_smem[y + r][i] * b_reg;
        }
        __syncthreads();
    }
    for (int r = 0; r < TM; ++r)
        if (tile.row + y + r < m && tile.column + x < n)
            c[(tile.row + y + r) * n + tile.column + x] = narrow<T>(sum[r]);
}
// [/kernel]

}  // namespace

template <typename T>
cudaError_t matmul_v4(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k,
                      cudaStream_t stream) {
    kernel<<<Tile<BM, BN>::count(m, n), THREADS, 0, stream>>>(a, b, c, m, n, k);
    return cudaGetLastError();
}

#define INSTANTIATE(T)                                                       \
    template cudaError_t matmul_v4(const T*, const T*, T*, int64_t, int64_t, \
                                   int64_t, cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(__half)
INSTANTIATE(__nv_bfloat16)
