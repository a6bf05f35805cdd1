// One thread an element; for the gradient of the bias, one thread a column.
#include "gelu.cuh"

namespace {

// [kernel]
// out[i] = f(x[i] + bias[column], other[i])
template <typename T, typename F>
__global__ void map_kernel(const T* __restrict__ x,      // [rows, n]
                           const T* __restrict__ bias,   // [n]
                           const T* __restrict__ other,  // [rows, n]
                           T* __restrict__ out,          // [rows, n]
                           int64_t rows, int64_t n, F f) {
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < rows * n) {
        out[i] = narrow<T>(f(widen(x[i]) + widen(bias[i % n]), widen(other[i])));
    }
}
// [/kernel]

// [dbias]
template <typename T, typename F>
__global__ void dbias_kernel(const T* __restrict__ x,     // [rows, n]
                             const T* __restrict__ bias,  // [n]
                             const T* __restrict__ grad,  // [rows, n]
                             T* __restrict__ dbias,       // [n]
                             int64_t rows, int64_t n, F f) {
    int64_t column = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (column < n) {
        Compute<T> b = widen(bias[column]), sum = 0;
        for (int64_t i = column; i < rows * n; i += n)
            sum += f(widen(x[i]) + b, widen(grad[i]));
        dbias[column] = narrow<T>(sum);
    }
}
// [/dbias]

constexpr int THREADS = 256;

int64_t blocks(int64_t threads) { return (threads + THREADS - 1) / THREADS; }

template <typename T, typename F>
cudaError_t map(const T* x, const T* bias, const T* other, T* out, int64_t rows,
                int64_t n, F f, cudaStream_t stream) {
    map_kernel<<<blocks(rows * n), THREADS, 0, stream>>>(x, bias, other, out, rows,
                                                         n, f);
    return cudaGetLastError();
}

template <typename T, typename F>
cudaError_t dbias_of(const T* x, const T* bias, const T* grad, T* dbias,
                     int64_t rows, int64_t n, F f, cudaStream_t stream) {
    dbias_kernel<<<blocks(n), THREADS, 0, stream>>>(x, bias, grad, dbias, rows, n,
                                                    f);
    return cudaGetLastError();
}

}  // namespace

// [launchers]
template <typename T>
cudaError_t bias_gelu_residual_v1(const T* x, const T* bias, const T* residual,
                                  T* out, int64_t rows, int64_t n, bool tanh,
                                  cudaStream_t stream) {
    return tanh ? map(x, bias, residual, out, rows, n, Forward<T, true>(), stream)
                : map(x, bias, residual, out, rows, n, Forward<T, false>(), stream);
}

template <typename T>
cudaError_t bias_gelu_residual_dbias_v1(const T* grad, const T* x, const T* bias,
                                        T* dbias, int64_t rows, int64_t n,
                                        bool tanh, cudaStream_t stream) {
    return tanh ? dbias_of(x, bias, grad, dbias, rows, n, Backward<T, true>(),
                           stream)
                : dbias_of(x, bias, grad, dbias, rows, n, Backward<T, false>(),
                           stream);
}

template <typename T>
cudaError_t bias_gelu_residual_backward_v1(const T* grad, const T* x, const T* bias,
                                           T* dx, T* dbias, int64_t rows, int64_t n,
                                           bool tanh, cudaStream_t stream) {
    if (cudaError_t error =
            tanh ? map(x, bias, grad, dx, rows, n, Backward<T, true>(), stream)
                 : map(x, bias, grad, dx, rows, n, Backward<T, false>(), stream))
        return error;
    return bias_gelu_residual_dbias_v1(grad, x, bias, dbias, rows, n, tanh, stream);
}
// [/launchers]

#define INSTANTIATE(T)                                                           \
    template cudaError_t bias_gelu_residual_v1(                                  \
        const T*, const T*, const T*, T*, int64_t, int64_t, bool, cudaStream_t); \
    template cudaError_t bias_gelu_residual_dbias_v1(                            \
        const T*, const T*, const T*, T*, int64_t, int64_t, bool, cudaStream_t); \
    template cudaError_t bias_gelu_residual_backward_v1(                         \
        const T*, const T*, const T*, T*, T*, int64_t, int64_t, bool,            \
        cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(__half)
INSTANTIATE(__nv_bfloat16)
