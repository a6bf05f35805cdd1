// The backward of rows that the registers of a block do not hold: two kernels,
// which both read x and grad.
#pragma once
#include "layer_norm.cuh"
#include "rows.cuh"

namespace {

// [dx]
template <bool ALIGNED, typename T>
__global__ void __launch_bounds__(1024)
    wide_dx_kernel(const T* __restrict__ grad,  // [rows, n]
                   const T* __restrict__ x,     // [rows, n]
                   const Compute<T>* __restrict__ mean,  // [rows]
                   const Compute<T>* __restrict__ rstd,  // [rows]
                   const T* __restrict__ weight,  // [n]
                   T* __restrict__ dx,            // [rows, n]
                   int64_t n) {
    using C = Compute<T>;
    constexpr int SIZE = Vector<T>::SIZE;
    __shared__ Sums<C> scratch[32];
    const C m = mean[blockIdx.x], r = rstd[blockIdx.x];
    const int64_t start = blockIdx.x * n;
    const int64_t vectors = (n - 1) / (SIZE * blockDim.x) + 1;
    Sums<C> sums = {0, 0};
#pragma unroll 2
    for (int64_t j = 0; j < vectors; ++j) {
        const Vector<T> x_row = load<ALIGNED>(x + start, n, j, narrow<T>(0));
        const Vector<T> g_row = load<ALIGNED>(grad + start, n, j, narrow<T>(0));
        const Vector<T> w = load<ALIGNED>(weight, n, j, narrow<T>(0));
#pragma unroll
        for (int k = 0; k < SIZE; ++k) {
            const C y = (widen(x_row.element[k]) - m) * r;
            const C g = widen(g_row.element[k]) * widen(w.element[k]);
            sums.g += g;
            sums.gy += g * y;
        }
    }
    sums = over_row(sums, scratch);
    const C mean_g = sums.g / C(n), mean_gy = sums.gy / C(n);
#pragma unroll 2
    for (int64_t j = 0; j < vectors; ++j) {
        Vector<T> x_row = load<ALIGNED>(x + start, n, j, narrow<T>(0));
        const Vector<T> g_row = load<ALIGNED>(grad + start, n, j, narrow<T>(0));
        const Vector<T> w = load<ALIGNED>(weight, n, j, narrow<T>(0));
#pragma unroll
        for (int k = 0; k < SIZE; ++k) {
            const C y = (widen(x_row.element[k]) - m) * r;
            const C g = widen(g_row.element[k]) * widen(w.element[k]);
            x_row.element[k] = narrow<T>(r * (g - mean_g - y * mean_gy));
        }
        store<ALIGNED>(dx + start, n, j, x_row);
    }
}
// [/dx]

// [columns]
// A thread walks down a chunk of the rows in SIZE columns; blockIdx.y is the chunk.
template <bool ALIGNED, typename T>
__global__ void __launch_bounds__(128)
    wide_columns_kernel(const T* __restrict__ grad,  // [rows, n]
                        const T* __restrict__ x,     // [rows, n]
                        const Compute<T>* __restrict__ mean,  // [rows]
                        const Compute<T>* __restrict__ rstd,  // [rows]
                        Compute<T>* __restrict__ partial,  // [2, gridDim.y, n]
                        int64_t rows, int64_t n) {
    using C = Compute<T>;
    constexpr int SIZE = Vector<T>::SIZE;
    const int64_t each = (rows - 1) / gridDim.y + 1;
    const int64_t end = min(rows, (blockIdx.y + 1) * each), j = blockIdx.x;
    C w[SIZE] = {}, b[SIZE] = {};
#pragma unroll 2
    for (int64_t row = blockIdx.y * each; row < end; ++row) {
        const Vector<T> x_row = load<ALIGNED>(x + row * n, n, j, narrow<T>(0));
        const Vector<T> g_row = load<ALIGNED>(grad + row * n, n, j, narrow<T>(0));
        const C m = mean[row], r = rstd[row];
#pragma unroll
        for (int k = 0; k < SIZE; ++k) {
            const C g = widen(g_row.element[k]);
            w[k] += g * ((widen(x_row.element[k]) - m) * r);
            b[k] += g;
        }
    }
    C* w_out = partial + blockIdx.y * n;
    C* b_out = w_out + gridDim.y * n;
#pragma unroll
    for (int k = 0; k < SIZE; ++k)
        if (inside<ALIGNED, T>(n, j, k)) {
            const int64_t column = column_of<ALIGNED, T>(j, k);
            w_out[column] = w[k];
            b_out[column] = b[k];
        }
}
// [/columns]

}  // namespace
