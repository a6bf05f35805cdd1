// Which part of c a block computes, and reading what may lie outside of a matrix.
#pragma once
#include "matmul.h"

__host__ __device__ inline int64_t ceil_div(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

// [convert]
__device__ inline float widen(float v) { return v; }
__device__ inline double widen(double v) { return v; }
__device__ inline float widen(__half v) { return __half2float(v); }
__device__ inline float widen(__nv_bfloat16 v) { return __bfloat162float(v); }

template <typename T>
__device__ inline T narrow(Compute<T> v) {
    if constexpr (std::is_same_v<T, __half>) return __float2half(v);
    else if constexpr (std::is_same_v<T, __nv_bfloat16>) return __float2bfloat16(v);
    else return v;
}
// [/convert]

// [tile]
// The grid is a line, since its y ends at 65,535. The tiles of BM x BN are taken in
// bands of BAND rows of tiles, down each column of a band: blocks that run at the
// same time so share rows of a and columns of b in the L2 cache.
template <int BM, int BN, int BAND = 8>
struct Tile {
    int64_t row, column;  // of its first element

    __device__ Tile(int64_t m, int64_t n) {
        int64_t rows = ceil_div(m, BM), columns = ceil_div(n, BN);
        int64_t band = blockIdx.x / (BAND * columns);
        int64_t rest = blockIdx.x - band * BAND * columns;
        int64_t height = min(int64_t(BAND), rows - band * BAND);
        row = (band * BAND + rest % height) * BM;
        column = rest / height * BN;
    }
    static int64_t count(int64_t m, int64_t n) {
        return ceil_div(m, BM) * ceil_div(n, BN);
    }
};
// [/tile]

// [load4]
// Four neighbours of a row. `left`: how many there are before the row ends; what is
// behind it counts as zero. ALIGNED: rows start at multiples of 16 bytes and have a
// multiple of four elements.
template <bool ALIGNED>
__device__ inline float4 load4(const float* p, int64_t left) {
    if constexpr (ALIGNED) {
        return left > 0 ? *reinterpret_cast<const float4*>(p) : float4{0, 0, 0, 0};
    } else {
        float4 v{0, 0, 0, 0};
        if (left > 0) v.x = p[0];
        if (left > 1) v.y = p[1];
        if (left > 2) v.z = p[2];
        if (left > 3) v.w = p[3];
        return v;
    }
}
template <bool ALIGNED>
__device__ inline void store4(float* p, int64_t left, float4 v) {
    if constexpr (ALIGNED) {
        if (left > 0) *reinterpret_cast<float4*>(p) = v;
    } else {
        if (left > 0) p[0] = v.x;
        if (left > 1) p[1] = v.y;
        if (left > 2) p[2] = v.z;
        if (left > 3) p[3] = v.w;
    }
}
// [/load4]

// Whether every row of each matrix starts at a multiple of 16 bytes.
template <typename T>
bool aligned(const T* a, const T* b, const T* c, int64_t n, int64_t k) {
    auto multiple = [](const void* p) {
        return reinterpret_cast<uintptr_t>(p) % 16 == 0;
    };
    constexpr int SIZE = 16 / sizeof(T);
    return multiple(a) && multiple(b) && multiple(c) && n % SIZE == 0 &&
           k % SIZE == 0;
}
