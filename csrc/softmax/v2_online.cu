// Maximum and sum in one loop: the sum is corrected whenever the maximum grows.
#include "softmax.cuh"

namespace {

// [kernel]
template <typename T>
__global__ void softmax_kernel(const T* __restrict__ x,  // [rows, n]
                               T* __restrict__ out,      // [rows, n]
                               int64_t rows, int64_t n) {
    using C = Compute<T>;
    __shared__ Part<C> scratch[32];
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const T* x_row = x + row * n;
        T* out_row = out + row * n;
        Part<C> part = {LOWEST, 0};
        for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
            const C v = widen(x_row[i]);
            if (v > part.max) part = {v, part.sum * exponential(part.max - v)};
            if (v != LOWEST) part.sum += exponential(v - part.max);
        }
        __syncthreads();  // what scratch held may still be read, for the last row
        part = over_row(part, {LOWEST, 0}, scratch);
        for (int64_t i = threadIdx.x; i < n; i += blockDim.x)
            out_row[i] =
                narrow<T>(exponential(widen(x_row[i]) - part.max) / part.sum);
    }
}
// [/kernel]

}  // namespace

template <typename T>
cudaError_t softmax_v2(const T* x, T* out, int64_t rows, int64_t n,
                       cudaStream_t stream) {
    softmax_kernel<<<blocks_for(rows), threads_for(n, 1, 256), 0, stream>>>(
        x, out, rows, n);
    return cudaGetLastError();
}

#define INSTANTIATE(T) \
    template cudaError_t softmax_v2(const T*, T*, int64_t, int64_t, cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(__half)
INSTANTIATE(__nv_bfloat16)
