// The row stays in registers: read once, and still two sums, of x and of
// (x - mean)^2.
#include "layer_norm.cuh"

namespace {

// [kernel]
constexpr int ITEMS = 16;  // elements a thread holds

template <typename T>
__global__ void __launch_bounds__(1024)
    layer_norm_kernel(const T* __restrict__ x,       // [rows, n]
                      const T* __restrict__ weight,  // [n]
                      const T* __restrict__ bias,    // [n]
                      T* __restrict__ out,           // [rows, n]
                      Compute<T>* __restrict__ mean_out,  // [rows]
                      Compute<T>* __restrict__ rstd_out,  // [rows]
                      int64_t rows, int n, Compute<T> eps) {
    using C = Compute<T>;
    // One for each sum: between two uses of either lies the barrier of the other.
    __shared__ C scratch[2][32];
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const T* x_row = x + row * n;
        T* out_row = out + row * n;
        C v[ITEMS], sum = 0, squares = 0;
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) {
            const int i = k * blockDim.x + threadIdx.x;
            v[k] = i < n ? widen(x_row[i]) : C(0);
            sum += v[k];
        }
        const C mean = over_row(sum, scratch[0]) / C(n);
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) {
            const int i = k * blockDim.x + threadIdx.x;
            v[k] = i < n ? v[k] - mean : C(0);
            squares += v[k] * v[k];
        }
        const C rstd = rsqrt(over_row(squares, scratch[1]) / C(n) + eps);
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) {
            const int i = k * blockDim.x + threadIdx.x;
            if (i < n)
                out_row[i] =
                    narrow<T>(v[k] * rstd * widen(weight[i]) + widen(bias[i]));
        }
        if (threadIdx.x == 0) {
            mean_out[row] = mean;
            rstd_out[row] = rstd;
        }
    }
}
// [/kernel]

}  // namespace

template <typename T>
cudaError_t layer_norm_v2(const T* x, const T* weight, const T* bias, T* out,
                          Compute<T>* mean, Compute<T>* rstd, int64_t rows,
                          int64_t n, double eps, cudaStream_t stream) {
    if (n > 1024 * ITEMS)
        return layer_norm_v1(x, weight, bias, out, mean, rstd, rows, n, eps,
                             stream);
    layer_norm_kernel<<<blocks_for(rows), threads_for(n, ITEMS, 1024), 0, stream>>>(
        x, weight, bias, out, mean, rstd, rows, int(n), Compute<T>(eps));
    return cudaGetLastError();
}

#define INSTANTIATE(T)                                                             \
    template cudaError_t layer_norm_v2(const T*, const T*, const T*, T*,           \
                                       Compute<T>*, Compute<T>*, int64_t, int64_t, \
                                       double, cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(__half)
INSTANTIATE(__nv_bfloat16)
