// The backward in one pass: what is read once gives dx and a partial sum for dbias.
#include "columns.cuh"
#include "gelu.cuh"

namespace {

// [kernel]
template <bool ALIGNED, typename T, typename F>
__global__ void __launch_bounds__(THREADS, 3)
    backward_kernel(const T* __restrict__ x,  // [rows, n]
                    const T* __restrict__ bias,  // [n]
                    const T* __restrict__ grad,  // [rows, n]
                    T* __restrict__ dx,  // [rows, n]
                    Compute<T>* __restrict__ partial,  // [gridDim.y, n]
                    int64_t rows, int64_t n, int64_t rows_per_block, F f) {
    constexpr int SIZE = Vector<T>::SIZE;
    const Columns<T, ALIGNED> columns(n);
    Vector<T> bias_row{};
    if (columns.count > 0) bias_row = columns.load(bias);
    Compute<T> b[SIZE], sum[SIZE] = {};
    for (int k = 0; k < SIZE; ++k) b[k] = widen(bias_row.element[k]);
    int64_t begin = blockIdx.y * rows_per_block;
    int64_t end = columns.count > 0 ? min(rows, begin + rows_per_block) : begin;
    for (int64_t row = begin + threadIdx.y; row < end; row += DEPTH * blockDim.y) {
        Vector<T> x_row[DEPTH], grad_row[DEPTH];
#pragma unroll
        for (int d = 0; d < DEPTH; ++d) {
            int64_t r = row + d * blockDim.y;
            if (r < end) {
                x_row[d] = columns.load(x + r * n);
                grad_row[d] = columns.load(grad + r * n);
            }
        }
#pragma unroll
        for (int d = 0; d < DEPTH; ++d) {
            int64_t r = row + d * blockDim.y;
            if (r < end) {
                Vector<T> result;
#pragma unroll
                for (int k = 0; k < SIZE; ++k) {
                    Compute<T> v = f(widen(x_row[d].element[k]) + b[k],
                                     widen(grad_row[d].element[k]));
                    sum[k] += v;  // before v is rounded
                    result.element[k] = narrow<T>(v);
                }
                columns.store(dx + r * n, result);
            }
        }
    }
    // [partial]
    // registers -> shared; the padding keeps threads 8 columns apart off one bank
    auto padded = [](int i) { return i + i / 32; };
    __shared__ Compute<T> sums[THREADS * SIZE + THREADS * SIZE / 32];
    int width = blockDim.x * SIZE;
    for (int k = 0; k < SIZE; ++k) {
        int column = columns.first - columns.tile + columns.offset(k);
        sums[padded(threadIdx.y * width + column)] = sum[k];
    }
    __syncthreads();
    // shared -> global: one thread adds up a column of the block
    int column = threadIdx.y * blockDim.x + threadIdx.x;
    for (; column < width && columns.tile + column < n; column += THREADS) {
        Compute<T> total = 0;
        for (int y = 0; y < blockDim.y; ++y)
            total += sums[padded(y * width + column)];
        partial[blockIdx.y * n + columns.tile + column] = total;
    }
    // [/partial]
}
// [/kernel]

// [finish]
// One block adds up 32 columns of the partial sums, 32 chunks at a time, always in
// the same order.
template <typename T>
__global__ void __launch_bounds__(1024)
    finish_kernel(const Compute<T>* __restrict__ partial,  // [chunks, n]
                  T* __restrict__ dbias,  // [n]
                  int64_t chunks, int64_t n) {
    __shared__ Compute<T> sums[32][32];
    int64_t column = int64_t(blockIdx.x) * 32 + threadIdx.x;
    Compute<T> sum = 0;
    if (column < n)
        for (int64_t c = threadIdx.y; c < chunks; c += 32)
            sum += partial[c * n + column];
    sums[threadIdx.y][threadIdx.x] = sum;
    for (int half = 16; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.y < half)
            sums[threadIdx.y][threadIdx.x] += sums[threadIdx.y + half][threadIdx.x];
    }
    if (threadIdx.y == 0 && column < n)
        dbias[column] = narrow<T>(sums[0][threadIdx.x]);
}
// [/finish]

template <typename T, typename F>
cudaError_t backward(const T* grad, const T* x, const T* bias, T* dx, T* dbias,
                     Compute<T>* partial, int64_t rows, int64_t n, F f,
                     cudaStream_t stream) {
    Tiling t;
    if (cudaError_t error = tile<T>(rows, n, &t)) return error;
    if (aligned<T>(n, x, bias, grad, dx))
        backward_kernel<true><<<t.grid, t.block, 0, stream>>>(
            x, bias, grad, dx, partial, rows, n, t.rows_per_block, f);
    else
        backward_kernel<false><<<t.grid, t.block, 0, stream>>>(
            x, bias, grad, dx, partial, rows, n, t.rows_per_block, f);
    if (cudaError_t error = cudaGetLastError()) return error;
    finish_kernel<<<(n + 31) / 32, dim3(32, 32), 0, stream>>>(partial, dbias,
                                                              t.grid.y, n);
    return cudaGetLastError();
}

}  // namespace

template <typename T>
cudaError_t bias_gelu_residual_chunks(int64_t rows, int64_t n, int64_t* chunks) {
    Tiling t;
    cudaError_t error = tile<T>(rows, n, &t);
    *chunks = t.grid.y;
    return error;
}

template <typename T>
cudaError_t bias_gelu_residual_backward_v3(const T* grad, const T* x, const T* bias,
                                           T* dx, T* dbias, Compute<T>* partial,
                                           int64_t rows, int64_t n, bool tanh,
                                           cudaStream_t stream) {
    return tanh ? backward(grad, x, bias, dx, dbias, partial, rows, n,
                           Backward<T, true>(), stream)
                : backward(grad, x, bias, dx, dbias, partial, rows, n,
                           Backward<T, false>(), stream);
}

#define INSTANTIATE(T)                                                             \
    template cudaError_t bias_gelu_residual_chunks<T>(int64_t, int64_t, int64_t*); \
    template cudaError_t bias_gelu_residual_backward_v3(                           \
        const T*, const T*, const T*, T*, T*, Compute<T>*, int64_t, int64_t, bool, \
        cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(__half)
INSTANTIATE(__nv_bfloat16)
