// No bank conflicts: rows of the transposed a are padded, and a thread's columns
// are two groups of four that lie half a tile apart, so that neighbours read
// neighbours.
#include "tile.cuh"

namespace {

constexpr int BM = 128, BN = 128, BK = 8;  // of a block
constexpr int TM = 8, TN = 8;              // of a thread
constexpr int PAD = 4;                     // keeps rows at multiples of 16 bytes
constexpr int THREADS = BM * BN / (TM * TN);
static_assert(BM * BK == 4 * THREADS && BK * BN == 4 * THREADS,
              "one float4 a thread");

// [kernel]
template <bool ALIGNED>
__global__ void __launch_bounds__(THREADS)
    kernel(const float* __restrict__ a,  // [m, k]
           const float* __restrict__ b,  // [k, n]
           float* __restrict__ c,        // [m, n]
           int64_t m, int64_t n, int64_t k) {
    __shared__ alignas(16) float a_smem[BK][BM + PAD], b_smem[BK][BN];
    const Tile<BM, BN> tile(m, n);
    int x = threadIdx.x % (BN / TN) * 4, y = threadIdx.x / (BN / TN) * TM;
    auto across = [](int s) { return s / 4 * (BN / 2) + s % 4; };  // of x
    // what the thread copies
    int ax = threadIdx.x % (BK / 4) * 4, ay = threadIdx.x / (BK / 4);
    int bx = threadIdx.x % (BN / 4) * 4, by = threadIdx.x / (BN / 4);
    float sum[TM][TN] = {};
    for (int64_t k0 = 0; k0 < k; k0 += BK) {
        // global -> shared
        int64_t row = tile.row + ay, column = tile.column + bx;
        float4 v = load4<ALIGNED>(&a[row * k + k0 + ax], row < m ? k - k0 - ax : 0);
        a_smem[ax + 0][ay] = v.x;
        a_smem[ax + 1][ay] = v.y;
        a_smem[ax + 2][ay] = v.z;
        a_smem[ax + 3][ay] = v.w;
        *reinterpret_cast<float4*>(&b_smem[by][bx]) = load4<ALIGNED>(
            &b[(k0 + by) * n + column], k0 + by < k ? n - column : 0);
        __syncthreads();
        for (int i = 0; i < BK; ++i) {
            // shared -> registers
            float a_reg[TM], b_reg[TN];
            for (int r = 0; r < TM; r += 4)
                *reinterpret_cast<float4*>(&a_reg[r]) =
                    *reinterpret_cast<float4*>(&a_smem[i][y + r]);
            for (int s = 0; s < TN; s += 4)
                *reinterpret_cast<float4*>(&b_reg[s]) =
                    *reinterpret_cast<float4*>(&b_smem[i][x + across(s)]);
            for (int r = 0; r < TM; ++r)
                for (int s = 0; s < TN; ++s) sum[r][s] += a_reg[r] * b_reg[s];
        }
        __syncthreads();
    }
    for (int r = 0; r < TM; ++r)
        for (int s = 0; s < TN; s += 4) {
            int64_t row = tile.row + y + r, column = tile.column + x + across(s);
            store4<ALIGNED>(&c[row * n + column], row < m ? n - column : 0,
                            *reinterpret_cast<float4*>(&sum[r][s]));
        }
}
// [/kernel]

}  // namespace

cudaError_t matmul_v7(const float* a, const float* b, float* c, int64_t m,
                      int64_t n, int64_t k, cudaStream_t stream) {
    auto launch = [&](auto function) {
        function<<<Tile<BM, BN>::count(m, n), THREADS, 0, stream>>>(a, b, c, m, n,
                                                                    k);
        return cudaGetLastError();
    };
    return aligned(a, b, c, n, k) ? launch(kernel<true>) : launch(kernel<false>);
}
