// The backward, laid out as v4 of the forward: both rows stay in registers.
#include "rows.cuh"
#include "softmax.cuh"

namespace {

// [kernel]
constexpr int MOST = 512;  // threads on a row: two rows need up to 128 registers

template <bool ALIGNED, typename T>
__global__ void __launch_bounds__(MOST)
    backward_kernel(const T* __restrict__ grad,  // [rows, n]
                    const T* __restrict__ out,   // [rows, n]
                    T* __restrict__ dx,          // [rows, n]
                    int64_t rows, int n) {
    using C = Compute<T>;
    constexpr int SIZE = Vector<T>::SIZE;
    __shared__ C scratch[32];
    const int64_t row = int64_t(blockIdx.x) * blockDim.y + threadIdx.y;
    const int length = row < rows ? n : 0;
    Vector<T> g[VECTORS], y[VECTORS];
#pragma unroll
    for (int j = 0; j < VECTORS; ++j) {
        g[j] = load<ALIGNED>(grad + row * n, length, j, narrow<T>(0));
        y[j] = load<ALIGNED>(out + row * n, length, j, narrow<T>(0));
    }
    C dot = 0;
#pragma unroll
    for (int j = 0; j < VECTORS; ++j)
#pragma unroll
        for (int k = 0; k < SIZE; ++k)
            dot += widen(g[j].element[k]) * widen(y[j].element[k]);
    dot = over_row(dot, C(0), scratch);
#pragma unroll
    for (int j = 0; j < VECTORS; ++j) {
#pragma unroll
        for (int k = 0; k < SIZE; ++k)
            g[j].element[k] =
                narrow<T>(widen(y[j].element[k]) * (widen(g[j].element[k]) - dot));
        store<ALIGNED>(dx + row * n, length, j, g[j]);
    }
}
// [/kernel]

// A row that registers do not hold is read twice.
template <bool ALIGNED, typename T>
__global__ void __launch_bounds__(1024)
    wide_kernel(const T* __restrict__ grad,  // [rows, n]
                const T* __restrict__ out,   // [rows, n]
                T* __restrict__ dx,          // [rows, n]
                int64_t n) {
    using C = Compute<T>;
    constexpr int SIZE = Vector<T>::SIZE;
    __shared__ C scratch[32];
    const int64_t start = blockIdx.x * n;
    const int64_t vectors = (n - 1) / (SIZE * blockDim.x) + 1;
    C dot = 0;
#pragma unroll 2
    for (int64_t j = 0; j < vectors; ++j) {
        const Vector<T> g = load<ALIGNED>(grad + start, n, j, narrow<T>(0));
        const Vector<T> y = load<ALIGNED>(out + start, n, j, narrow<T>(0));
#pragma unroll
        for (int k = 0; k < SIZE; ++k)
            dot += widen(g.element[k]) * widen(y.element[k]);
    }
    dot = over_row(dot, C(0), scratch);
#pragma unroll 2
    for (int64_t j = 0; j < vectors; ++j) {
        Vector<T> g = load<ALIGNED>(grad + start, n, j, narrow<T>(0));
        const Vector<T> y = load<ALIGNED>(out + start, n, j, narrow<T>(0));
#pragma unroll
        for (int k = 0; k < SIZE; ++k)
            g.element[k] =
                narrow<T>(widen(y.element[k]) * (widen(g.element[k]) - dot));
        store<ALIGNED>(dx + start, n, j, g);
    }
}

template <bool ALIGNED, typename T>
cudaError_t launch(const T* grad, const T* out, T* dx, int64_t rows, int64_t n,
                   cudaStream_t stream) {
    const Layout l = layout<T>(rows, n, MOST);
    if (l.wide)
        wide_kernel<ALIGNED><<<l.grid, l.block, 0, stream>>>(grad, out, dx, n);
    else
        backward_kernel<ALIGNED>
            <<<l.grid, l.block, 0, stream>>>(grad, out, dx, rows, int(n));
    return cudaGetLastError();
}

}  // namespace

template <typename T>
cudaError_t softmax_backward_v1(const T* grad, const T* out, T* dx, int64_t rows,
                                int64_t n, cudaStream_t stream) {
    return aligned<T>(n, grad, out, dx)
               ? launch<true>(grad, out, dx, rows, n, stream)
               : launch<false>(grad, out, dx, rows, n, stream);
}

#define INSTANTIATE(T)                                                        \
    template cudaError_t softmax_backward_v1(const T*, const T*, T*, int64_t, \
                                             int64_t, cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(__half)
INSTANTIATE(__nv_bfloat16)
