// How rows are shared out to threads that read 16 bytes at a time.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>

#include <cuda_runtime.h>

// [vector]
template <typename T>
struct alignas(16) Vector {
    static constexpr int SIZE = 16 / sizeof(T);
    T element[SIZE];
};

// Vectors of a row that a thread holds, and has on their way at once.
constexpr int VECTORS = 4;
// [/vector]

// [access]
// Vector j of this thread, which is one of the blockDim.x threads of a row of n
// elements. ALIGNED: neighbours, by one access of 16 bytes. Else: every
// blockDim.x-th element, so that neighbouring threads still read neighbours.
// Index: int, or int64_t where n needs it. Outside the row stands `fill`.
template <bool ALIGNED, typename T, typename Index>
__device__ Vector<T> load(const T* row, Index n, Index j, T fill) {
    constexpr int SIZE = Vector<T>::SIZE;
    Vector<T> v;
    if constexpr (ALIGNED) {
        const Index i = j * Index(blockDim.x) + Index(threadIdx.x);
        for (int k = 0; k < SIZE; ++k) v.element[k] = fill;
        // Four words, so that nvcc does not carry single 16-bit values past the
        // `if`.
        uint4 words;
        memcpy(&words, &v, 16);
        if (i < n / SIZE) words = reinterpret_cast<const uint4*>(row)[i];
        memcpy(&v, &words, 16);
    } else {
        for (int k = 0; k < SIZE; ++k) {
            const Index i = (j * SIZE + k) * Index(blockDim.x) + Index(threadIdx.x);
            v.element[k] = i < n ? row[i] : fill;
        }
    }
    return v;
}

template <bool ALIGNED, typename T, typename Index>
__device__ void store(T* row, Index n, Index j, const Vector<T>& v) {
    constexpr int SIZE = Vector<T>::SIZE;
    if constexpr (ALIGNED) {
        const Index i = j * Index(blockDim.x) + Index(threadIdx.x);
        if (i < n / SIZE) reinterpret_cast<Vector<T>*>(row)[i] = v;
    } else {
        for (int k = 0; k < SIZE; ++k) {
            const Index i = (j * SIZE + k) * Index(blockDim.x) + Index(threadIdx.x);
            if (i < n) row[i] = v.element[k];
        }
    }
}
// [/access]

// [layout]
// A row is held by block.x threads: up to 32, a power of two, then whole warps, up
// to `most`. A block has block.y rows, so that it is not too small.
struct Layout {
    unsigned grid;
    dim3 block;
    bool wide;  // the row is longer than `most` threads hold: a block loops over it
};

template <typename T>
Layout layout(int64_t rows, int64_t n, unsigned most) {
    constexpr int64_t EACH = VECTORS * Vector<T>::SIZE;
    constexpr unsigned THREADS = 128;
    const int64_t threads = (n + EACH - 1) / EACH;
    if (threads > most) return {unsigned(rows), 1024, true};
    unsigned x = 1;
    while (x < 32 && x < threads) x *= 2;
    if (threads > 32) x = unsigned(threads + 31) / 32 * 32;
    const unsigned y = std::max(1u, THREADS / x);
    return {unsigned((rows + y - 1) / y), dim3(x, y), false};
}

// Whether every row of each matrix starts at a multiple of 16 bytes.
template <typename T, typename... Pointers>
bool aligned(int64_t n, const Pointers*... p) {
    return n % Vector<T>::SIZE == 0 &&
           ((reinterpret_cast<uintptr_t>(p) % 16 == 0) && ...);
}
// [/layout]
