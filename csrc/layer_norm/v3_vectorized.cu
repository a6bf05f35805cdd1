// 16 bytes an access; a few lanes, a warp or a block to a row, by its length.
#include "layer_norm.cuh"
#include "rows.cuh"

namespace {

// [kernel]
constexpr int VECTORS = 4;  // a thread holds, and has on their way at once

// 65,536 registers are 64 for each of 1024 threads; scalar loads need a few more.
template <bool ALIGNED>
constexpr int MOST = ALIGNED ? 1024 : 512;

template <bool ALIGNED, typename T>
__global__ void __launch_bounds__(MOST<ALIGNED>)
    layer_norm_kernel(const T* __restrict__ x,       // [rows, n]
                      const T* __restrict__ weight,  // [n]
                      const T* __restrict__ bias,    // [n]
                      T* __restrict__ out,           // [rows, n]
                      Compute<T>* __restrict__ mean_out,  // [rows]
                      Compute<T>* __restrict__ rstd_out,  // [rows]
                      int64_t rows, int n, Compute<T> eps) {
    using C = Compute<T>;
    constexpr int SIZE = Vector<T>::SIZE;
    __shared__ C scratch[2][32];
    const int64_t row = int64_t(blockIdx.x) * blockDim.y + threadIdx.y;
    // A thread without a row does not return: the others wait for it at the
    // barrier.
    const int length = row < rows ? n : 0;
    Vector<T> x_row[VECTORS];
#pragma unroll
    for (int j = 0; j < VECTORS; ++j)
        x_row[j] = load<ALIGNED>(x + row * n, length, j, narrow<T>(0));
    C v[VECTORS][SIZE], sum = 0, squares = 0;
#pragma unroll
    for (int j = 0; j < VECTORS; ++j)
#pragma unroll
        for (int k = 0; k < SIZE; ++k) {
            v[j][k] = widen(x_row[j].element[k]);
            sum += v[j][k];
        }
    const C mean = over_row(sum, scratch[0]) / C(n);
#pragma unroll
    for (int j = 0; j < VECTORS; ++j)
#pragma unroll
        for (int k = 0; k < SIZE; ++k) {
            v[j][k] = inside<ALIGNED, T>(n, j, k) ? v[j][k] - mean : C(0);
            squares += v[j][k] * v[j][k];
        }
    const C rstd = rsqrt(over_row(squares, scratch[1]) / C(n) + eps);
#pragma unroll
    for (int j = 0; j < VECTORS; ++j) {
        // Each row reads them again, from L1: they are the same for every block.
        const Vector<T> w = load<ALIGNED>(weight, length, j, narrow<T>(0));
        const Vector<T> b = load<ALIGNED>(bias, length, j, narrow<T>(0));
        Vector<T> result;
#pragma unroll
        for (int k = 0; k < SIZE; ++k)
            result.element[k] = narrow<T>(v[j][k] * rstd * widen(w.element[k]) +
                                          widen(b.element[k]));
        store<ALIGNED>(out + row * n, length, j, result);
    }
    if (threadIdx.x == 0 && row < rows) {
        mean_out[row] = mean;
        rstd_out[row] = rstd;
    }
}
// [/kernel]

// [wide]
// A row that registers do not hold. CACHED: shared memory keeps what was read, each
// thread its own vectors; else the row is read two times more.
template <bool ALIGNED, bool CACHED, typename T>
__global__ void __launch_bounds__(1024)
    wide_kernel(const T* __restrict__ x,       // [rows, n]
                const T* __restrict__ weight,  // [n]
                const T* __restrict__ bias,    // [n]
                T* __restrict__ out,           // [rows, n]
                Compute<T>* __restrict__ mean_out,  // [rows]
                Compute<T>* __restrict__ rstd_out,  // [rows]
                int64_t n, Compute<T> eps) {
    using C = Compute<T>;
    constexpr int SIZE = Vector<T>::SIZE;
    extern __shared__ uint4 cache[];  // [vectors, blockDim.x]
    __shared__ C scratch[2][32];
    const T* x_row = x + blockIdx.x * n;
    T* out_row = out + blockIdx.x * n;
    auto cached = [&](int64_t j) -> Vector<T>& {
        return reinterpret_cast<Vector<T>*>(cache)[j * blockDim.x + threadIdx.x];
    };
    auto again = [&](int64_t j) {
        return CACHED ? cached(j) : load<ALIGNED>(x_row, n, j, narrow<T>(0));
    };
    const int64_t vectors = (n - 1) / (SIZE * blockDim.x) + 1;
    C sum = 0, squares = 0;
#pragma unroll 4
    for (int64_t j = 0; j < vectors; ++j) {
        const Vector<T> v = load<ALIGNED>(x_row, n, j, narrow<T>(0));
        if (CACHED) cached(j) = v;
#pragma unroll
        for (int k = 0; k < SIZE; ++k) sum += widen(v.element[k]);
    }
    const C mean = over_row(sum, scratch[0]) / C(n);
#pragma unroll 2
    for (int64_t j = 0; j < vectors; ++j) {
        const Vector<T> v = again(j);
#pragma unroll
        for (int k = 0; k < SIZE; ++k) {
            const C d =
                inside<ALIGNED, T>(n, j, k) ? widen(v.element[k]) - mean : C(0);
            squares += d * d;
        }
    }
    const C rstd = rsqrt(over_row(squares, scratch[1]) / C(n) + eps);
#pragma unroll 2
    for (int64_t j = 0; j < vectors; ++j) {
        Vector<T> v = again(j);
        const Vector<T> w = load<ALIGNED>(weight, n, j, narrow<T>(0));
        const Vector<T> b = load<ALIGNED>(bias, n, j, narrow<T>(0));
#pragma unroll
        for (int k = 0; k < SIZE; ++k)
            v.element[k] = narrow<T>((widen(v.element[k]) - mean) * rstd *
                                         widen(w.element[k]) +
                                     widen(b.element[k]));
        store<ALIGNED>(out_row, n, j, v);
    }
    if (threadIdx.x == 0) {
        mean_out[blockIdx.x] = mean;
        rstd_out[blockIdx.x] = rstd;
    }
}
// [/wide]

// [launch]
template <bool ALIGNED, typename T>
cudaError_t launch_wide(const T* x, const T* weight, const T* bias, T* out,
                        Compute<T>* mean, Compute<T>* rstd, const Layout& l,
                        int64_t n, Compute<T> eps, cudaStream_t stream) {
    int device, most;
    if (cudaError_t error = cudaGetDevice(&device)) return error;
    if (cudaError_t error = cudaDeviceGetAttribute(
            &most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device))
        return error;
    constexpr int64_t SCRATCH = 2 * 32 * sizeof(Compute<T>);
    const int64_t step = l.block.x * Vector<T>::SIZE;
    const int64_t bytes = (n + step - 1) / step * step * sizeof(T);
    if (bytes + SCRATCH > most) {
        wide_kernel<ALIGNED, false><<<l.grid, l.block, 0, stream>>>(
            x, weight, bias, out, mean, rstd, n, eps);
        return cudaGetLastError();
    }
    // more than 48 KiB must be asked for
    if (cudaError_t error = cudaFuncSetAttribute(
            wide_kernel<ALIGNED, true, T>,
            cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)))
        return error;
    wide_kernel<ALIGNED, true><<<l.grid, l.block, bytes, stream>>>(
        x, weight, bias, out, mean, rstd, n, eps);
    return cudaGetLastError();
}

template <bool ALIGNED, typename T>
cudaError_t launch(const T* x, const T* weight, const T* bias, T* out,
                   Compute<T>* mean, Compute<T>* rstd, int64_t rows, int64_t n,
                   Compute<T> eps, cudaStream_t stream) {
    const Layout l = layout<T>(rows, n, VECTORS, MOST<ALIGNED>, 128);
    if (l.wide)
        return launch_wide<ALIGNED>(x, weight, bias, out, mean, rstd, l, n, eps,
                                    stream);
    layer_norm_kernel<ALIGNED><<<l.grid, l.block, 0, stream>>>(
        x, weight, bias, out, mean, rstd, rows, int(n), eps);
    return cudaGetLastError();
}
// [/launch]

}  // namespace

template <typename T>
cudaError_t layer_norm_v3(const T* x, const T* weight, const T* bias, T* out,
                          Compute<T>* mean, Compute<T>* rstd, int64_t rows,
                          int64_t n, double eps, cudaStream_t stream) {
    return aligned<T>(n, x, weight, bias, out)
               ? launch<true>(x, weight, bias, out, mean, rstd, rows, n,
                              Compute<T>(eps), stream)
               : launch<false>(x, weight, bias, out, mean, rstd, rows, n,
                               Compute<T>(eps), stream);
}

#define INSTANTIATE(T)                                                             \
    template cudaError_t layer_norm_v3(const T*, const T*, const T*, T*,           \
                                       Compute<T>*, Compute<T>*, int64_t, int64_t, \
                                       double, cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(__half)
INSTANTIATE(__nv_bfloat16)
