// A block a row, and three loops over it: maximum, sum, result.
#include "softmax.cuh"

namespace {

// [reduce]
// Every thread of the block gets the maximum, or the sum.
template <typename C>
__device__ C block_max(C v, C* scratch) {
    v = max_of_lanes(v, 32);
    __syncthreads();  // what scratch held may still be read
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = v;
    __syncthreads();
    v = scratch[0];
    for (int warp = 1; warp < blockDim.x / 32; ++warp) v = fmax(v, scratch[warp]);
    return v;
}

template <typename C>
__device__ C block_sum(C v, C* scratch) {
    v = over_lanes(v, 32);
    __syncthreads();
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = v;
    __syncthreads();
    v = scratch[0];
    for (int warp = 1; warp < blockDim.x / 32; ++warp) v += scratch[warp];
    return v;
}
// [/reduce]

// [kernel]
template <typename T>
__global__ void softmax_kernel(const T* __restrict__ x,  // [rows, n]
                               T* __restrict__ out,      // [rows, n]
                               int64_t rows, int64_t n) {
    using C = Compute<T>;
    __shared__ C scratch[32];
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const T* x_row = x + row * n;
        T* out_row = out + row * n;
        C max = LOWEST, sum = 0;
        for (int64_t i = threadIdx.x; i < n; i += blockDim.x)
            max = fmax(max, widen(x_row[i]));
        max = block_max(max, scratch);
        for (int64_t i = threadIdx.x; i < n; i += blockDim.x)
            sum += exponential(widen(x_row[i]) - max);
        sum = block_sum(sum, scratch);
        for (int64_t i = threadIdx.x; i < n; i += blockDim.x)
            out_row[i] = narrow<T>(exponential(widen(x_row[i]) - max) / sum);
    }
}
// [/kernel]

}  // namespace

template <typename T>
cudaError_t softmax_v1(const T* x, T* out, int64_t rows, int64_t n,
                       cudaStream_t stream) {
    softmax_kernel<<<blocks_for(rows), threads_for(n, 1, 256), 0, stream>>>(
        x, out, rows, n);
    return cudaGetLastError();
}

#define INSTANTIATE(T) \
    template cudaError_t softmax_v1(const T*, T*, int64_t, int64_t, cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(__half)
INSTANTIATE(__nv_bfloat16)
