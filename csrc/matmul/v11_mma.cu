// Tensor cores by the instructions themselves: ldmatrix reads fragments from
// swizzled shared memory, mma multiplies them, and cp.async is several steps ahead.
#include "../ptx.cuh"
#include "tile.cuh"

namespace {

constexpr int BM = 128, BN = 128, BK = 64;  // of a block
constexpr int WM = 64, WN = 64;  // of a warp
constexpr int THREADS = 32 * (BM / WM) * (BN / WN);
constexpr int BUFFERS = 3;

template <typename T>
struct Smem {
    T a[BUFFERS][BM * BK], b[BUFFERS][BK * BN];
};

// [swizzle]
// Where 8 neighbours of a row lie, 16 bytes. Rows are multiples of 128 bytes, so
// that chunk i of 8 rows would lie in the same banks: i XOR row lies in others.
template <int WIDTH>
__device__ inline int swizzled(int row, int column) {
    return row * WIDTH + (column / 8 ^ row % 8) * 8;
}
// [/swizzle]

// [copy]
// What a thread copies of each pair of tiles: 8 columns of a and of b, every so
// many rows. Pointers go along, since 64-bit products for every address would cost
// as much as the copies.
template <typename T>
struct Copier {
    static constexpr int A_STEP = THREADS / (BK / 8), B_STEP = THREADS / (BN / 8);
    int ax = threadIdx.x % (BK / 8) * 8, ay = threadIdx.x / (BK / 8);
    int bx = threadIdx.x % (BN / 8) * 8, by = threadIdx.x / (BN / 8);
    const T *a, *b;  // the thread's first elements of the next tiles
    int64_t a_step, b_step;  // between its rows
    int64_t rows, columns, k;  // that are left of the matrices

    __device__ Copier(const T* a, const T* b, int64_t row, int64_t column,
                      int64_t m, int64_t n, int64_t k)
        : a(a + (row + ay) * k + ax),
          b(b + by * n + column + bx),
          a_step(A_STEP * k),
          b_step(B_STEP * n),
          rows(m - row),
          columns(n - column),
          k(k) {}

    // Up to `there` elements; zeros behind them.
    template <bool ALIGNED>
    static __device__ void copy8(T* smem, const T* p, int64_t there) {
        if constexpr (ALIGNED) {
            cp_async<16>(smem, p, there > 0 ? 16 : 0);
        } else {  // no instruction copies 2 bytes past the registers
            for (int i = 0; i < 8; ++i) smem[i] = i < there ? p[i] : narrow<T>(0);
        }
    }
    // global -> shared, on its way when it returns. WHOLE: nothing lies outside.
    template <bool ALIGNED, bool WHOLE>
    __device__ void copy(Smem<T>& smem, int buffer) {
        const T *from_a = a, *from_b = b;
#pragma unroll
        for (int i = 0; i < BM; i += A_STEP, from_a += a_step)
            copy8<ALIGNED>(&smem.a[buffer][swizzled<BK>(ay + i, ax)], from_a,
                           WHOLE           ? 8
                           : ay + i < rows ? k - ax
                                           : 0);
#pragma unroll
        for (int i = 0; i < BK; i += B_STEP, from_b += b_step)
            copy8<ALIGNED>(&smem.b[buffer][swizzled<BN>(by + i, bx)], from_b,
                           WHOLE        ? 8
                           : by + i < k ? columns - bx
                                        : 0);
    }
    template <bool ALIGNED>
    __device__ void start(Smem<T>& smem, int buffer) {
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

// [fragments]
template <typename T>
struct Fragments {
    uint32_t a[WM / 16][4], b[WN / 8][2];

    // shared -> registers: k from i to i + 15. y, x: where the warp's tile begins.
    // The loads are given out to the steps r, which have multiplications between
    // them.
    __device__ void load(int r, const T* a_smem, const T* b_smem, int y, int x,
                         int i) {
        constexpr int STEPS = WM / 16;
        int lane = threadIdx.x % 32;
        ldmatrix_x4(
            a[r], &a_smem[swizzled<BK>(y + 16 * r + lane % 16, i + lane / 16 * 8)]);
#pragma unroll
        for (int s = 2 * r; s < WN / 8; s += 2 * STEPS) {
            uint32_t two[4];
            ldmatrix_x4_trans(
                two,
                &b_smem[swizzled<BN>(i + lane % 16, x + 8 * s + lane / 16 * 8)]);
            b[s][0] = two[0], b[s][1] = two[1];
            b[s + 1][0] = two[2], b[s + 1][1] = two[3];
        }
    }
};
// [/fragments]

// [kernel]
template <bool ALIGNED, typename T>
__global__ void __launch_bounds__(THREADS, 2)
    kernel(const T* __restrict__ a,  // [m, k]
           const T* __restrict__ b,  // [k, n]
           T* __restrict__ c,  // [m, n]
           int64_t m, int64_t n, int64_t k) {
    extern __shared__ float4 dynamic_smem[];
    Smem<T>& smem = *reinterpret_cast<Smem<T>*>(dynamic_smem);
    const Tile<BM, BN> tile(m, n);
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int x = warp % (BN / WN) * WN, y = warp / (BN / WN) * WM;
    float sum[WM / 16][WN / 8][4] = {};

    Copier<T> copier(a, b, tile.row, tile.column, m, n, k);
    for (int i = 0; i < BUFFERS - 1; ++i) copier.template start<ALIGNED>(smem, i);
    cp_async_wait<BUFFERS - 2>();
    __syncthreads();
    Fragments<T> reg[2];
    for (int r = 0; r < WM / 16; ++r) reg[0].load(r, smem.a[0], smem.b[0], y, x, 0);
    int buffer = 0;
    for (int64_t k0 = 0; k0 < k; k0 += BK) {
        int next_buffer = (buffer + 1) % BUFFERS;
        copier.template start<ALIGNED>(smem, (buffer + BUFFERS - 1) % BUFFERS);
#pragma unroll
        for (int i = 0; i < BK / 16; ++i) {
            Fragments<T>&now = reg[i % 2], &next = reg[(i + 1) % 2];
            bool last = i + 1 == BK / 16, more = k0 + BK < k;
            if (last && more) {
                cp_async_wait<BUFFERS - 2>();
                __syncthreads();  // the next tiles are there, these are not needed
                                  // more
            }
            int from = last ? next_buffer : buffer;
#pragma unroll
            for (int r = 0; r < WM / 16; ++r) {
                if (!last || more)
                    next.load(r, smem.a[from], smem.b[from], y, x,
                              last ? 0 : 16 * (i + 1));
#pragma unroll
                for (int s = 0; s < WN / 8; ++s)
                    mma_m16n8k16<T>(sum[r][s], now.a[r], now.b[s]);
            }
        }
        buffer = next_buffer;
    }
    // registers -> global: two neighbours at a time
#pragma unroll
    for (int r = 0; r < WM / 16; ++r)
#pragma unroll
        for (int s = 0; s < WN / 8; ++s)
#pragma unroll
            for (int i = 0; i < 4; i += 2) {
                int64_t row = tile.row + y + 16 * r + lane / 4 + 4 * i;
                int64_t column = tile.column + x + 8 * s + lane % 4 * 2;
                T two[2] = {narrow<T>(sum[r][s][i]), narrow<T>(sum[r][s][i + 1])};
                T* p = &c[row * n + column];
                if (row >= m || column >= n) continue;
                if constexpr (ALIGNED) {
                    *reinterpret_cast<uint32_t*>(p) =
                        *reinterpret_cast<uint32_t*>(two);
                } else {
                    p[0] = two[0];
                    if (column + 1 < n) p[1] = two[1];
                }
            }
}
// [/kernel]

}  // namespace

template <typename T>
cudaError_t matmul_v11(const T* a, const T* b, T* c, int64_t m, int64_t n,
                       int64_t k, cudaStream_t stream) {
    auto launch = [&](auto function) {
        // more than 48 KiB must be asked for
        if (cudaError_t error = cudaFuncSetAttribute(
                function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                sizeof(Smem<T>)))
            return error;
        function<<<Tile<BM, BN>::count(m, n), THREADS, sizeof(Smem<T>), stream>>>(
            a, b, c, m, n, k);
        return cudaGetLastError();
    };
    return aligned(a, b, c, n, k) ? launch(kernel<true, T>)
                                  : launch(kernel<false, T>);
}

#define INSTANTIATE(T)                                                        \
    template cudaError_t matmul_v11(const T*, const T*, T*, int64_t, int64_t, \
                                    int64_t, cudaStream_t);
INSTANTIATE(__half)
INSTANTIATE(__nv_bfloat16)
