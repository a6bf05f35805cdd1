// A warp has a tile of its own, nearly square: what its lanes read of shared memory
// is shared by 4 or 8 of them. A thread has 128 sums, and reads the values of the
// next step while it multiplies those of this one.
#include "../ptx.cuh"
#include "tile.cuh"

namespace {

constexpr int BM = 128, BN = 256, BK = 16;  // of a block
constexpr int WM = 64, WN = 64;  // of a warp
constexpr int LM = 4, LN = 8;  // the lanes of a warp
constexpr int TM = WM / LM, TN = WN / LN;  // of a thread
constexpr int THREADS = 32 * (BM / WM) * (BN / WN);
constexpr int PAD = 4;  // keeps rows at multiples of 16 bytes
constexpr int BUFFERS = 3;

struct Smem {
    float a[BUFFERS][BK][BM + PAD], b[BUFFERS][BK][BN];
};

// Where the elements of a thread lie in its warp's tile: groups of four.
__device__ inline int down(int r) { return r / 4 * (4 * LM) + r % 4; }
__device__ inline int across(int s) { return s / 4 * (4 * LN) + s % 4; }

// [fragments]
struct Fragments {
    float a[TM], b[TN];

    // shared -> registers: row i of the transposed a and of b
    __device__ void load(const float* a_smem, const float* b_smem) {
#pragma unroll
        for (int r = 0; r < TM; r += 4)
            *reinterpret_cast<float4*>(&a[r]) =
                *reinterpret_cast<const float4*>(a_smem + down(r));
#pragma unroll
        for (int s = 0; s < TN; s += 4)
            *reinterpret_cast<float4*>(&b[s]) =
                *reinterpret_cast<const float4*>(b_smem + across(s));
    }
};
// [/fragments]

// [copy]
// What a thread copies of each pair of tiles: column x of a, every so many rows,
// and 4 columns of b. Pointers go along, since 64-bit products for every address
// would cost as much as the copies.
struct Copier {
    static constexpr int A_STEP = THREADS / BK,
                         B_STEP = THREADS / (BN / 4);  // rows
    int ax = threadIdx.x % BK, ay = threadIdx.x / BK;
    int bx = threadIdx.x % (BN / 4) * 4, by = threadIdx.x / (BN / 4);
    const float *a, *b;  // the thread's first element of the next tiles
    int64_t a_step, b_step;  // between its elements
    int64_t rows, columns, k;  // that are left of the matrices

    __device__ Copier(const float* a, const float* b, int64_t row, int64_t column,
                      int64_t m, int64_t n, int64_t k)
        : a(a + (row + ay) * k + ax),
          b(b + by * n + column + bx),
          a_step(A_STEP * k),
          b_step(B_STEP * n),
          rows(m - row),
          columns(n - column),
          k(k) {}

    // global -> shared, on its way when it returns. a is transposed, so that 4
    // bytes are all that lies side by side on both sides. WHOLE: nothing lies
    // outside.
    template <bool ALIGNED, bool WHOLE>
    __device__ void copy(Smem& smem, int buffer) {
        const float *from_a = a, *from_b = b;
#pragma unroll
        for (int i = 0; i < BM; i += A_STEP, from_a += a_step)
            cp_async<4>(&smem.a[buffer][ax][ay + i], from_a,
                        WHOLE || (ay + i < rows && ax < k) ? 4 : 0);
#pragma unroll
        for (int i = 0; i < BK; i += B_STEP, from_b += b_step) {
            float* to = &smem.b[buffer][by + i][bx];
            int64_t there = WHOLE ? 4 : by + i < k ? columns - bx : 0;
            if constexpr (ALIGNED) {
                cp_async<16>(to, from_b, there > 0 ? 16 : 0);
            } else {
                for (int j = 0; j < 4; ++j)
                    cp_async<4>(to + j, from_b + j, j < there ? 4 : 0);
            }
        }
    }
    template <bool ALIGNED>
    __device__ void start(Smem& smem, int buffer) {
        if (BM <= rows && BN <= columns && BK <= k)
            copy<ALIGNED, true>(smem, buffer);
        else if (k > 0) copy<ALIGNED, false>(smem, buffer);
        cp_async_commit();
        a += BK;
        b += BK / B_STEP * b_step;
        k -= BK;
    }
};
// [/copy]

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
    int y = warp / (BN / WN) * WM + lane / LN * 4;
    float sum[TM][TN] = {};

    Copier copier(a, b, tile.row, tile.column, m, n, k);
    for (int i = 0; i < BUFFERS - 1; ++i) copier.start<ALIGNED>(smem, i);
    cp_async_wait<BUFFERS - 2>();
    __syncthreads();
    Fragments reg[2];
    reg[0].load(&smem.a[0][0][y], &smem.b[0][0][x]);
    int buffer = 0;
    for (int64_t k0 = 0; k0 < k; k0 += BK) {
        int next_buffer = (buffer + 1) % BUFFERS;
        copier.start<ALIGNED>(smem, (buffer + BUFFERS - 1) % BUFFERS);
#pragma unroll
        for (int i = 0; i < BK; ++i) {
            if (i + 1 < BK) {
                reg[(i + 1) % 2].load(&smem.a[buffer][i + 1][y],
                                      &smem.b[buffer][i + 1][x]);
            } else if (k0 + BK < k) {
                cp_async_wait<BUFFERS - 2>();
                __syncthreads();  // the next tiles are there, these are not needed
                                  // more
                reg[0].load(&smem.a[next_buffer][0][y], &smem.b[next_buffer][0][x]);
            }
#pragma unroll
            for (int r = 0; r < TM; ++r)
#pragma unroll
                for (int s = 0; s < TN; ++s)
                    sum[r][s] += reg[i % 2].a[r] * reg[i % 2].b[s];
        }
        buffer = next_buffer;
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
