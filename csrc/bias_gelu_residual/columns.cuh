// How v2 and v3 share out a matrix [rows, n]: a thread owns 16 bytes' worth of
// columns and walks down the rows.
#pragma once
#include <algorithm>
#include <cstdint>

#include <cuda_runtime.h>

// A block: block.x threads along a row, on block.y rows.
constexpr int THREADS = 256;
// Rows whose loads a thread has on their way at once.
constexpr int DEPTH = 2;

// [columns]
template <typename T>
struct alignas(16) Vector {
    static constexpr int SIZE = 16 / sizeof(T);
    T element[SIZE];
};

// The columns of a thread. ALIGNED: neighbours, read by one access of 16 bytes.
// Else: every blockDim.x-th, so that neighbouring threads still read neighbours.
template <typename T, bool ALIGNED>
struct Columns {
    static constexpr int SIZE = Vector<T>::SIZE;
    int64_t tile, first;  // the first column of the block, and of the thread
    int count = 0;        // how many are inside the matrix

    __device__ explicit Columns(int64_t n) {
        tile = int64_t(blockIdx.x) * blockDim.x * SIZE;
        first = tile + (ALIGNED ? threadIdx.x * SIZE : threadIdx.x);
        for (int k = 0; k < SIZE; ++k) count += first + offset(k) < n;
    }
    __device__ int64_t offset(int k) const { return ALIGNED ? k : k * blockDim.x; }

    // An index of vectors, not of elements: from row + first, nvcc 13.0 does not
    // see that the address is a multiple of 16, and cuts a store into four.
    __device__ Vector<T> load(const T* row) const {
        if constexpr (ALIGNED) {
            return reinterpret_cast<const Vector<T>*>(row)[first / SIZE];
        } else {
            Vector<T> v{};
            for (int k = 0; k < SIZE; ++k)
                if (k < count) v.element[k] = row[first + offset(k)];
            return v;
        }
    }
    __device__ void store(T* row, const Vector<T>& v) const {
        if constexpr (ALIGNED) {
            reinterpret_cast<Vector<T>*>(row)[first / SIZE] = v;
        } else {
            for (int k = 0; k < SIZE; ++k)
                if (k < count) row[first + offset(k)] = v.element[k];
        }
    }
};
// [/columns]

// [tiling]
// The grid: x along a row, y down the rows.
struct Tiling {
    dim3 grid, block;
    int64_t rows_per_block;
};

// As many blocks as fill every SM a few times over, and no more: a block's start,
// its bias and (in v3) its partial sums cost the less, the more rows it has.
template <typename T>
cudaError_t tile(int64_t rows, int64_t n, Tiling* tiling) {
    constexpr int BLOCKS_PER_SM = 12;  // 3 or 4 fit at a time
    constexpr int SIZE = Vector<T>::SIZE;
    int device, sms;
    if (cudaError_t error = cudaGetDevice(&device)) return error;
    if (cudaError_t error =
            cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device))
        return error;
    unsigned x = 1;  // threads along a row: up to a warp, fewer for short rows
    while (x < 32 && x * SIZE < n) x *= 2;
    unsigned y = THREADS / x;
    int64_t tiles = (n + x * SIZE - 1) / (x * SIZE);
    int64_t wanted = std::max<int64_t>(1, sms * BLOCKS_PER_SM / tiles);
    int64_t most = (rows + DEPTH * y - 1) / (DEPTH * y);
    int64_t rows_per_block = (rows - 1) / std::min(wanted, most) + 1;
    *tiling = {dim3(tiles, (rows - 1) / rows_per_block + 1), dim3(x, y),
               rows_per_block};
    return cudaSuccess;
}

// Whether every row of each matrix starts at a multiple of 16 bytes.
template <typename T, typename... Pointers>
bool aligned(int64_t n, const Pointers*... p) {
    return n % Vector<T>::SIZE == 0 &&
           ((reinterpret_cast<uintptr_t>(p) % 16 == 0) && ...);
}
// [/tiling]
