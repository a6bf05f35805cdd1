// A warp has a tile of its own, nearly square: what its lanes read of shared memory
// is shared by 4 or 8 of them. A thread has 128 sums; four buffers and one barrier
// a step.
#include "../ptx.cuh"
#include "tile.cuh"

namespace {

constexpr int BM = 256, BN = 128, BK = 16;  // of a block
constexpr int WM = 64, WN = 64;  // of a warp
constexpr int LM = 8, LN = 4;  // the lanes of a warp
constexpr int TM = WM / LM, TN = WN / LN;  // of a thread
constexpr int THREADS = 32 * (BM / WM) * (BN / WN);
constexpr int PAD = 4;  // keeps rows at multiples of 16 bytes
constexpr int BUFFERS = 4;

struct Smem {
    float a[BUFFERS][BM][BK + PAD], b[BUFFERS][BK][BN];
};

template <bool ALIGNED>
__device__ inline void copy4(float* smem, const float* p, int64_t left) {
    if constexpr (ALIGNED) {
        cp_async<16>(smem, p, left > 0 ? 16 : 0);
    } else {
        for (int i = 0; i < 4; ++i) cp_async<4>(smem + i, p + i, i < left ? 4 : 0);
    }
}

// [kernel]
template <bool ALIGNED>
__global__ void __launch_bounds__(THREADS)
    kernel(const float* __restrict__ a,  // [m, k]
           const float* __restrict__ b,  // [k, n]
           float* __restrict__ c,  // [m, n]
           int64_t m, int64_t n, int64_t k) {
    extern __shared__ float4 dynamic_smem[];
    Smem& smem = *reinterpret_cast<Smem*>(dynamic_smem);
    const Tile<BM, BN> tile(m, n);
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int x = warp % (BN / WN) * WN + lane % LN * 4;
    int y = warp / (BN / WN) * WM + lane / LN;
    auto across = [](int s) { return s / 4 * (4 * LN) + s % 4; };  // of x
    auto down = [](int r) { return r * LM; };  // of y
    float sum[TM][TN] = {};

    // global -> shared, on its way when this returns
    auto copy = [&](int64_t k0, int buffer) {
#pragma unroll
        for (int i = 0; i < BM * BK / 4; i += THREADS) {
            int ax = (i + threadIdx.x) % (BK / 4) * 4,
                ay = (i + threadIdx.x) / (BK / 4);
            int64_t row = tile.row + ay;
            copy4<ALIGNED>(&smem.a[buffer][ay][ax], &a[row * k + k0 + ax],
                           row < m ? k - k0 - ax : 0);
        }
#pragma unroll
        for (int i = 0; i < BK * BN / 4; i += THREADS) {
            int bx = (i + threadIdx.x) % (BN / 4) * 4,
                by = (i + threadIdx.x) / (BN / 4);
            int64_t column = tile.column + bx;
            copy4<ALIGNED>(&smem.b[buffer][by][bx], &b[(k0 + by) * n + column],
                           k0 + by < k ? n - column : 0);
        }
    };

    for (int i = 0; i < BUFFERS - 1; ++i) {
        if (i * BK < k) copy(i * BK, i);
        cp_async_commit();
    }
    int buffer = 0;
    for (int64_t k0 = 0; k0 < k; k0 += BK) {
        cp_async_wait<BUFFERS - 2>();
        __syncthreads();  // this step's tiles are there, the last step's are not
                          // needed
        if (int64_t next = k0 + (BUFFERS - 1) * BK; next < k)
            copy(next, (buffer + BUFFERS - 1) % BUFFERS);
        cp_async_commit();
#pragma unroll
        for (int i = 0; i < BK; i += 4) {
            // shared -> registers
            float a_reg[TM][4];
            for (int r = 0; r < TM; ++r)
                *reinterpret_cast<float4*>(a_reg[r]) =
                    *reinterpret_cast<float4*>(&smem.a[buffer][y + down(r)][i]);
            for (int j = 0; j < 4; ++j) {
                float b_reg[TN];
                for (int s = 0; s < TN; s += 4)
                    *reinterpret_cast<float4*>(&b_reg[s]) =
                        *reinterpret_cast<float4*>(
                            &smem.b[buffer][i + j][x + across(s)]);
                for (int r = 0; r < TM; ++r)
                    for (int s = 0; s < TN; ++s)
                        sum[r][s] += a_reg[r][j] * b_reg[s];
            }
        }
        buffer = (buffer + 1) % BUFFERS;
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

cudaError_t matmul_v9(const float* a, const float* b, float* c, int64_t m,
                      int64_t n, int64_t k, cudaStream_t stream) {
    auto launch = [&](auto function) {
        // more than 48 KiB must be asked for
        if (cudaError_t error = cudaFuncSetAttribute(
                function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                sizeof(Smem)))
            return error;
        function<<<Tile<BM, BN>::count(m, n), THREADS, sizeof(Smem), stream>>>(
            a, b, c, m, n, k);
        return cudaGetLastError();
    };
    return aligned(a, b, c, n, k) ? launch(kernel<true>) : launch(kernel<false>);
}
