// cp.async copies the next tiles while the present ones are multiplied: two
// buffers. It copies as it lies, so a is not transposed: a thread reads four
// neighbours of a row, and with them goes four steps.
#include "../ptx.cuh"
#include "tile.cuh"

namespace {

constexpr int BM = 128, BN = 128, BK = 16;  // of a block
constexpr int TM = 8, TN = 8;               // of a thread
constexpr int PAD = 4;  // keeps rows at multiples of 16 bytes
constexpr int THREADS = BM * BN / (TM * TN);
constexpr int BUFFERS = 2;

// [copy]
template <bool ALIGNED>
__device__ inline void copy4(float* smem, const float* p, int64_t left) {
    if constexpr (ALIGNED) {
        cp_async<16>(smem, p, left > 0 ? 16 : 0);
    } else {
        for (int i = 0; i < 4; ++i) cp_async<4>(smem + i, p + i, i < left ? 4 : 0);
    }
}
// [/copy]

// [kernel]
template <bool ALIGNED>
__global__ void __launch_bounds__(THREADS, 2)
    kernel(const float* __restrict__ a,  // [m, k]
           const float* __restrict__ b,  // [k, n]
           float* __restrict__ c,  // [m, n]
           int64_t m, int64_t n, int64_t k) {
    __shared__ alignas(16) float a_smem[BUFFERS][BM][BK + PAD],
        b_smem[BUFFERS][BK][BN];
    const Tile<BM, BN> tile(m, n);
    int x = threadIdx.x % (BN / TN) * 4, y = threadIdx.x / (BN / TN);
    auto across = [](int s) { return s / 4 * (BN / 2) + s % 4; };  // of x
    auto down = [](int r) { return r * (BM / TM); };  // of y
    float sum[TM][TN] = {};

    // global -> shared, on its way when this returns
    auto copy = [&](int64_t k0, int buffer) {
        for (int i = threadIdx.x; i < BM * BK / 4; i += THREADS) {
            int ax = i % (BK / 4) * 4, ay = i / (BK / 4);
            int64_t row = tile.row + ay;
            copy4<ALIGNED>(&a_smem[buffer][ay][ax], &a[row * k + k0 + ax],
                           row < m ? k - k0 - ax : 0);
        }
        for (int i = threadIdx.x; i < BK * BN / 4; i += THREADS) {
            int bx = i % (BN / 4) * 4, by = i / (BN / 4);
            int64_t column = tile.column + bx;
            copy4<ALIGNED>(&b_smem[buffer][by][bx], &b[(k0 + by) * n + column],
                           k0 + by < k ? n - column : 0);
        }
    };

    int buffer = 0;
    copy(0, buffer);
    cp_async_commit();
    for (int64_t k0 = 0; k0 < k; k0 += BK) {
        if (k0 + BK < k) copy(k0 + BK, buffer ^ 1);
        cp_async_commit();
        cp_async_wait<1>();  // for all but the copy that was just started
        __syncthreads();
        for (int i = 0; i < BK; i += 4) {
            // shared -> registers
            float a_reg[TM][4];
            for (int r = 0; r < TM; ++r)
                *reinterpret_cast<float4*>(a_reg[r]) =
                    *reinterpret_cast<float4*>(&a_smem[buffer][y + down(r)][i]);
            for (int j = 0; j < 4; ++j) {
                float b_reg[TN];
                for (int s = 0; s < TN; s += 4)
                    *reinterpret_cast<float4*>(&b_reg[s]) =
                        *reinterpret_cast<float4*>(
                            &b_smem[buffer][i + j][x + across(s)]);
                for (int r = 0; r < TM; ++r)
                    for (int s = 0; s < TN; ++s)
                        sum[r][s] += a_reg[r][j] * b_reg[s];
            }
        }
        __syncthreads();
        buffer ^= 1;
    }
    for (int r = 0; r < TM; ++r)
        for (int s = 0; s < TN; s += 4) {
            int64_t row = tile.row + y + down(r),
                    column = tile.column + x + across(s);
            store4<ALIGNED>(&c[row * n + column], row < m ? n - column : 0,
                            *reinterpret_cast<float4*>(&sum[r][s]));
        }
}
// [/kernel]

}  // namespace

cudaError_t matmul_v8(const float* a, const float* b, float* c, int64_t m,
                      int64_t n, int64_t k, cudaStream_t stream) {
    auto launch = [&](auto function) {
        function<<<Tile<BM, BN>::count(m, n), THREADS, 0, stream>>>(a, b, c, m, n,
                                                                    k);
        return cudaGetLastError();
    };
    return aligned(a, b, c, n, k) ? launch(kernel<true>) : launch(kernel<false>);
}
