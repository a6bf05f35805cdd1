// The row stays in registers: read once, and one exponential an element.
#include "softmax.cuh"

namespace {

// [kernel]
constexpr int ITEMS = 16;  // elements a thread holds

template <typename T>
__global__ void __launch_bounds__(1024)
    softmax_kernel(const T* __restrict__ x,  // [rows, n]
                   T* __restrict__ out,      // [rows, n]
                   int64_t rows, int n) {
    using C = Compute<T>;
    __shared__ Part<C> scratch[32];
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const T* x_row = x + row * n;
        T* out_row = out + row * n;
        C v[ITEMS];
        Part<C> part = {LOWEST, 0};
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) {
            const int i = k * blockDim.x + threadIdx.x;
            v[k] = i < n ? widen(x_row[i]) : C(LOWEST);
            part.max = fmax(part.max, v[k]);
        }
        // Relative to the thread's own maximum: no barrier is needed so far.
        const C base = part.max == LOWEST ? C(0) : part.max;
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) {
            v[k] = exponential(v[k] - base);
            part.sum += v[k];
        }
        __syncthreads();  // what scratch held may still be read, for the last row
        const Part<C> whole = over_row(part, {LOWEST, 0}, scratch);
        const C scale = weight(part.max, whole.max) / whole.sum;
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) {
            const int i = k * blockDim.x + threadIdx.x;
            if (i < n) out_row[i] = narrow<T>(v[k] * scale);
        }
    }
}
// [/kernel]

}  // namespace

template <typename T>
cudaError_t softmax_v3(const T* x, T* out, int64_t rows, int64_t n,
                       cudaStream_t stream) {
    if (n > 1024 * ITEMS) return softmax_v2(x, out, rows, n, stream);
    softmax_kernel<<<blocks_for(rows), threads_for(n, ITEMS, 1024), 0, stream>>>(
        x, out, rows, int(n));
    return cudaGetLastError();
}

#define INSTANTIATE(T) \
    template cudaError_t softmax_v3(const T*, T*, int64_t, int64_t, cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(__half)
INSTANTIATE(__nv_bfloat16)
