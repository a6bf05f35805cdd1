// dx by a block a row; dweight and dbias by one thread a column.
#include "layer_norm.cuh"

namespace {

// [dx]
template <typename T>
__global__ void dx_kernel(const T* __restrict__ grad,  // [rows, n]
                          const T* __restrict__ x,     // [rows, n]
                          const Compute<T>* __restrict__ mean,  // [rows]
                          const Compute<T>* __restrict__ rstd,  // [rows]
                          const T* __restrict__ weight,  // [n]
                          T* __restrict__ dx,            // [rows, n]
                          int64_t rows, int64_t n) {
    using C = Compute<T>;
    __shared__ Sums<C> scratch[32];
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const C m = mean[row], r = rstd[row];
        Sums<C> sums = {0, 0};
        for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
            const C y = (widen(x[row * n + i]) - m) * r;
            const C g = widen(grad[row * n + i]) * widen(weight[i]);
            sums.g += g;
            sums.gy += g * y;
        }
        __syncthreads();  // what scratch held may still be read, for the last row
        sums = over_row(sums, scratch);
        const C mean_g = sums.g / C(n), mean_gy = sums.gy / C(n);
        for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
            const C y = (widen(x[row * n + i]) - m) * r;
            const C g = widen(grad[row * n + i]) * widen(weight[i]);
            dx[row * n + i] = narrow<T>(r * (g - mean_g - y * mean_gy));
        }
    }
}
// [/dx]

// [columns]
template <typename T>
__global__ void columns_kernel(const T* __restrict__ grad,  // [rows, n]
                               const T* __restrict__ x,  // [rows, n]
                               const Compute<T>* __restrict__ mean,  // [rows]
                               const Compute<T>* __restrict__ rstd,  // [rows]
                               T* __restrict__ dweight,  // [n]
                               T* __restrict__ dbias,  // [n]
                               int64_t rows, int64_t n) {
    using C = Compute<T>;
    const int64_t column = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (column < n) {
        C w = 0, b = 0;
        for (int64_t row = 0; row < rows; ++row) {
            const C g = widen(grad[row * n + column]);
            w += g * (widen(x[row * n + column]) - mean[row]) * rstd[row];
            b += g;
        }
        dweight[column] = narrow<T>(w);
        dbias[column] = narrow<T>(b);
    }
}
// [/columns]

}  // namespace

template <typename T>
cudaError_t layer_norm_backward_v1(const T* grad, const T* x,
                                   const Compute<T>* mean, const Compute<T>* rstd,
                                   const T* weight, T* dx, T* dweight, T* dbias,
                                   int64_t rows, int64_t n, cudaStream_t stream) {
    dx_kernel<<<blocks_for(rows), threads_for(n, 1, 256), 0, stream>>>(
        grad, x, mean, rstd, weight, dx, rows, n);
    if (cudaError_t error = cudaGetLastError()) return error;
    columns_kernel<<<(n + 127) / 128, 128, 0, stream>>>(grad, x, mean, rstd,
                                                        dweight, dbias, rows, n);
    return cudaGetLastError();
}

#define INSTANTIATE(T)                                                          \
    template cudaError_t layer_norm_backward_v1(                                \
        const T*, const T*, const Compute<T>*, const Compute<T>*, const T*, T*, \
        T*, T*, int64_t, int64_t, cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(__half)
INSTANTIATE(__nv_bfloat16)
