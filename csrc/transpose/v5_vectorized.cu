// 16 bytes an access to global memory, and 64 bytes on their way for each thread: a
// tile of 64 rows of 256 bytes.
#include "transpose.h"

namespace {

constexpr int THREADS = 256;
constexpr int ROWS = 64, ROW_BYTES = 256;

// [vector]
// W elements in one access: 16 bytes' worth, or one.
template <typename T, int W>
struct alignas(W * sizeof(T)) Vector {
    T element[W];
};

// Vectors that make up 128 bytes: one row of all banks, a line of global memory.
template <typename T, int W>
constexpr int LINE = 128 / (W * sizeof(T));

// Where row r of the tile keeps vector v. The rows that a warp reads together, down
// a column of the tile, lie W apart: each gets banks of its own.
template <typename T, int W>
__device__ unsigned swizzled(unsigned r, unsigned v) {
    constexpr unsigned WORD = W * sizeof(T) < 4 ? 4 / sizeof(T) : 1;  // in vectors
    return v ^ r / W * WORD % LINE<T, W>;
}
// [/vector]

// [kernel]
template <typename T, int W>
__global__ void __launch_bounds__(THREADS)
    transpose_kernel(const T* __restrict__ a,  // [rows, n]
                     T* __restrict__ out,  // [n, rows]
                     int64_t rows, int64_t n, unsigned tiles) {
    constexpr unsigned COLUMNS = ROW_BYTES / sizeof(T), WIDTH = COLUMNS / W;
    __shared__ Vector<T, W> tile[ROWS][WIDTH];
    // Blocks go down a before they go across, so that those which run at the same
    // time write neighbouring parts of the same rows of out.
    int64_t row = int64_t(blockIdx.x % tiles) * ROWS;
    int64_t column = int64_t(blockIdx.x / tiles) * COLUMNS;
    unsigned height = min(rows - row, int64_t(ROWS));  // of the tile in the matrix
    unsigned width = min(n - column, int64_t(COLUMNS));

    // global -> registers -> shared: all loads come before the first store
    constexpr unsigned DOWN = THREADS / WIDTH;
    unsigned r = threadIdx.x / WIDTH, v = threadIdx.x % WIDTH;
    auto* from = reinterpret_cast<const Vector<T, W>*>(a) + column / W + v;
    Vector<T, W> loaded[ROWS / DOWN];
#pragma unroll
    for (int k = 0; k < ROWS / DOWN; ++k)
        if (r + k * DOWN < height && v * W < width)
            loaded[k] = from[(row + r + k * DOWN) * (n / W)];
#pragma unroll
    for (int k = 0; k < ROWS / DOWN; ++k)
        tile[r + k * DOWN][swizzled<T, W>(r + k * DOWN, v)] = loaded[k];
    __syncthreads();

    // shared -> registers -> global: LINE threads write 128 bytes of a row of out
    constexpr unsigned ACROSS = THREADS / LINE<T, W>;
    static_assert(ROWS % DOWN == 0 && COLUMNS % ACROSS == 0);
    auto* to = reinterpret_cast<Vector<T, W>*>(out) + row / W;
#pragma unroll
    for (int line = 0; line < ROWS / W; line += LINE<T, W>) {
        unsigned below = line + threadIdx.x % LINE<T, W>;  // vectors of out's row
#pragma unroll
        for (int k = 0; k < COLUMNS / ACROSS; ++k) {
            unsigned c = threadIdx.x / LINE<T, W> + k * ACROSS;
            if (below * W < height && c < width) {
                Vector<T, W> turned;
#pragma unroll
                for (int j = 0; j < W; ++j)
                    turned.element[j] =
                        tile[below * W + j][swizzled<T, W>(below * W, c / W)]
                            .element[c % W];
                to[(column + c) * (rows / W) + below] = turned;
            }
        }
    }
}
// [/kernel]

template <int W, typename T>
cudaError_t launch(const T* a, T* out, int64_t rows, int64_t n,
                   cudaStream_t stream) {
    constexpr int COLUMNS = ROW_BYTES / sizeof(T);
    int64_t tiles = (rows + ROWS - 1) / ROWS;  // one above the other
    int64_t blocks = tiles * ((n + COLUMNS - 1) / COLUMNS);
    transpose_kernel<T, W><<<blocks, THREADS, 0, stream>>>(a, out, rows, n, tiles);
    return cudaGetLastError();
}

}  // namespace

// [launcher]
template <typename T>
cudaError_t transpose_v5(const T* a, T* out, int64_t rows, int64_t n,
                         cudaStream_t stream) {
    constexpr int W = 16 / sizeof(T);
    auto aligned = [](const void* p, int64_t row_length) {
        return reinterpret_cast<uintptr_t>(p) % 16 == 0 && row_length % W == 0;
    };
    return aligned(a, n) && aligned(out, rows) ? launch<W>(a, out, rows, n, stream)
                                               : launch<1>(a, out, rows, n, stream);
}
// [/launcher]

template cudaError_t transpose_v5(const uint16_t*, uint16_t*, int64_t, int64_t,
                                  cudaStream_t);
template cudaError_t transpose_v5(const uint32_t*, uint32_t*, int64_t, int64_t,
                                  cudaStream_t);
template cudaError_t transpose_v5(const uint64_t*, uint64_t*, int64_t, int64_t,
                                  cudaStream_t);
