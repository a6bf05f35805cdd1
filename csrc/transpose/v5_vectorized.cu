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

// Where row r of the tile keeps vector v. The rows that a warp reads together, down
// a column of vectors, lie W apart; each gets banks of its own.
template <typename T, int W>
__device__ int swizzled(int r, int v) {
    constexpr int WORD = W * sizeof(T) < 4 ? 4 / (W * sizeof(T)) : 1;  // in vectors
    constexpr int LINE = 128 / (W * sizeof(T));  // vectors in one row of all banks
    return v ^ r / W * WORD % LINE;
}
// [/vector]

// [kernel]
template <typename T, int W>
__global__ void __launch_bounds__(THREADS)
    transpose_kernel(const T* __restrict__ a,  // [rows, n]
                     T* __restrict__ out,  // [n, rows]
                     int64_t rows, int64_t n, unsigned tiles) {
    constexpr int COLUMNS = ROW_BYTES / sizeof(T);
    constexpr int COUNT = ROWS * COLUMNS / W / THREADS;  // vectors of a thread
    constexpr int LINE = 128 / (W * sizeof(T));
    __shared__ Vector<T, W> tile[ROWS][COLUMNS / W];
    auto* a_vec = reinterpret_cast<const Vector<T, W>*>(a);
    auto* out_vec = reinterpret_cast<Vector<T, W>*>(out);
    int64_t tile_row = int64_t(blockIdx.x / tiles) * ROWS;
    int64_t tile_column = int64_t(blockIdx.x % tiles) * COLUMNS;
    // global -> registers -> shared: all loads come before the first store
    Vector<T, W> loaded[COUNT];
#pragma unroll
    for (int k = 0; k < COUNT; ++k) {
        int i = k * THREADS + threadIdx.x;
        int r = i / (COLUMNS / W), v = i % (COLUMNS / W);
        int64_t row = tile_row + r, column = tile_column + v * W;
        if (row < rows && column < n) loaded[k] = a_vec[(row * n + column) / W];
    }
#pragma unroll
    for (int k = 0; k < COUNT; ++k) {
        int i = k * THREADS + threadIdx.x;
        int r = i / (COLUMNS / W), v = i % (COLUMNS / W);
        tile[r][swizzled<T, W>(r, v)] = loaded[k];
    }
    __syncthreads();
    // shared -> registers -> global: LINE threads write 128 bytes of a row of out
#pragma unroll
    for (int k = 0; k < COUNT; ++k) {
        int i = k * THREADS + threadIdx.x;
        int c = i / LINE % COLUMNS, r = (i / LINE / COLUMNS * LINE + i % LINE) * W;
        Vector<T, W> turned;
#pragma unroll
        for (int j = 0; j < W; ++j)
            turned.element[j] =
                tile[r + j][swizzled<T, W>(r, c / W)].element[c % W];
        int64_t row = tile_row + r, column = tile_column + c;
        if (row < rows && column < n) out_vec[(column * rows + row) / W] = turned;
    }
}
// [/kernel]

template <int W, typename T>
cudaError_t launch(const T* a, T* out, int64_t rows, int64_t n,
                   cudaStream_t stream) {
    constexpr int COLUMNS = ROW_BYTES / sizeof(T);
    int64_t tiles = (n + COLUMNS - 1) / COLUMNS;  // side by side
    int64_t blocks = tiles * ((rows + ROWS - 1) / ROWS);
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
