// 16 bytes an access: a thread keeps its columns, and their bias, and walks down
// the rows.
#include "columns.cuh"
#include "gelu.cuh"

namespace {

// [kernel]
// out[i] = f(x[i] + bias[column], other[i])
template <bool ALIGNED, typename T, typename F>
__global__ void __launch_bounds__(THREADS)
    map_kernel(const T* __restrict__ x,      // [rows, n]
               const T* __restrict__ bias,   // [n]
               const T* __restrict__ other,  // [rows, n]
               T* __restrict__ out,          // [rows, n]
               int64_t rows, int64_t n, int64_t rows_per_block, F f) {
    const Columns<T, ALIGNED> columns(n);
    if (columns.count == 0) return;
    const Vector<T> bias_row = columns.load(bias);
    Compute<T> b[Vector<T>::SIZE];
    for (int k = 0; k < Vector<T>::SIZE; ++k) b[k] = widen(bias_row.element[k]);
    int64_t begin = blockIdx.y * rows_per_block;
    int64_t end = min(rows, begin + rows_per_block);
    for (int64_t row = begin + threadIdx.y; row < end; row += DEPTH * blockDim.y) {
        // All loads come first: a thread waits once for DEPTH rows.
        Vector<T> x_row[DEPTH], other_row[DEPTH];
#pragma unroll
        for (int d = 0; d < DEPTH; ++d) {
            int64_t r = row + d * blockDim.y;
            if (r < end) {
                x_row[d] = columns.load(x + r * n);
                other_row[d] = columns.load(other + r * n);
            }
        }
#pragma unroll
        for (int d = 0; d < DEPTH; ++d) {
            int64_t r = row + d * blockDim.y;
            if (r < end) {
                Vector<T> result;
#pragma unroll
                for (int k = 0; k < Vector<T>::SIZE; ++k)
                    result.element[k] =
                        narrow<T>(f(widen(x_row[d].element[k]) + b[k],
                                    widen(other_row[d].element[k])));
                columns.store(out + r * n, result);
            }
        }
    }
}
// [/kernel]

// [launch]
template <typename T, typename F>
cudaError_t map(const T* x, const T* bias, const T* other, T* out, int64_t rows,
                int64_t n, F f, cudaStream_t stream) {
    Tiling t;
    if (cudaError_t error = tile<T>(rows, n, &t)) return error;
    if (aligned<T>(n, x, bias, other, out))
        map_kernel<true><<<t.grid, t.block, 0, stream>>>(x, bias, other, out, rows,
                                                         n, t.rows_per_block, f);
    else
        map_kernel<false><<<t.grid, t.block, 0, stream>>>(x, bias, other, out, rows,
                                                          n, t.rows_per_block, f);
    return cudaGetLastError();
}
// [/launch]

}  // namespace

template <typename T>
cudaError_t bias_gelu_residual_v2(const T* x, const T* bias, const T* residual,
                                  T* out, int64_t rows, int64_t n, bool tanh,
                                  cudaStream_t stream) {
    return tanh ? map(x, bias, residual, out, rows, n, Forward<T, true>(), stream)
                : map(x, bias, residual, out, rows, n, Forward<T, false>(), stream);
}

template <typename T>
cudaError_t bias_gelu_residual_backward_v2(const T* grad, const T* x, const T* bias,
                                           T* dx, T* dbias, int64_t rows, int64_t n,
                                           bool tanh, cudaStream_t stream) {
    if (cudaError_t error =
            tanh ? map(x, bias, grad, dx, rows, n, Backward<T, true>(), stream)
                 : map(x, bias, grad, dx, rows, n, Backward<T, false>(), stream))
        return error;
    return bias_gelu_residual_dbias_v1(grad, x, bias, dbias, rows, n, tanh, stream);
}

#define INSTANTIATE(T)                                                           \
    template cudaError_t bias_gelu_residual_v2(                                  \
        const T*, const T*, const T*, T*, int64_t, int64_t, bool, cudaStream_t); \
    template cudaError_t bias_gelu_residual_backward_v2(                         \
        const T*, const T*, const T*, T*, T*, int64_t, int64_t, bool,            \
        cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(__half)
INSTANTIATE(__nv_bfloat16)
