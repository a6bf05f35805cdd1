// A block a row, and three loops over it: mean, variance, result.
#include "layer_norm.cuh"

namespace {

// [kernel]
template <typename T>
__global__ void layer_norm_kernel(const T* __restrict__ x,       // [rows, n]
                                  const T* __restrict__ weight,  // [n]
                                  const T* __restrict__ bias,    // [n]
                                  T* __restrict__ out,           // [rows, n]
                                  Compute<T>* __restrict__ mean_out,  // [rows]
                                  Compute<T>* __restrict__ rstd_out,  // [rows]
                                  int64_t rows, int64_t n, Compute<T> eps) {
    using C = Compute<T>;
    // One for each sum: between two uses of either lies the barrier of the other.
    __shared__ C scratch[2][32];
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const T* x_row = x + row * n;
        T* out_row = out + row * n;
        C sum = 0, squares = 0;
        for (int64_t i = threadIdx.x; i < n; i += blockDim.x)
            sum += widen(x_row[i]);
        const C mean = over_row(sum, scratch[0]) / C(n);
        for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
            const C d = widen(x_row[i]) - mean;
            squares += d * d;
        }
        const C rstd = rsqrt(over_row(squares, scratch[1]) / C(n) + eps);
        for (int64_t i = threadIdx.x; i < n; i += blockDim.x)
            out_row[i] =
                narrow<T>((widen(x_row[i]) - mean) * rstd * widen(weight[i]) +
                          widen(bias[i]));
        if (threadIdx.x == 0) {
            mean_out[row] = mean;
            rstd_out[row] = rstd;
        }
    }
}
// [/kernel]

}  // namespace

template <typename T>
cudaError_t layer_norm_v1(const T* x, const T* weight, const T* bias, T* out,
                          Compute<T>* mean, Compute<T>* rstd, int64_t rows,
                          int64_t n, double eps, cudaStream_t stream) {
    layer_norm_kernel<<<blocks_for(rows), threads_for(n, 1, 256), 0, stream>>>(
        x, weight, bias, out, mean, rstd, rows, n, Compute<T>(eps));
    return cudaGetLastError();
}

#define INSTANTIATE(T)                                                             \
    template cudaError_t layer_norm_v1(const T*, const T*, const T*, T*,           \
                                       Compute<T>*, Compute<T>*, int64_t, int64_t, \
                                       double, cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(__half)
INSTANTIATE(__nv_bfloat16)
