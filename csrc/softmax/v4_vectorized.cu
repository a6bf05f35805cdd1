// 16 bytes an access; a few lanes, a warp or a block to a row, by its length.
#include "rows.cuh"
#include "softmax.cuh"

namespace {

// [kernel]
// 65,536 registers are 64 for each of 1024 threads; scalar loads need a few more.
template <bool ALIGNED>
constexpr int MOST = ALIGNED ? 1024 : 512;

template <bool ALIGNED, typename T>
__global__ void __launch_bounds__(MOST<ALIGNED>)
    softmax_kernel(const T* __restrict__ x,  // [rows, n]
                   T* __restrict__ out,      // [rows, n]
                   int64_t rows, int n) {
    using C = Compute<T>;
    constexpr int SIZE = Vector<T>::SIZE;
    __shared__ Part<C> scratch[32];
    const int64_t row = int64_t(blockIdx.x) * blockDim.y + threadIdx.y;
    // A thread without a row does not return: the others wait for it at the
    // barrier.
    const int length = row < rows ? n : 0;
    Vector<T> x_row[VECTORS];
#pragma unroll
    for (int j = 0; j < VECTORS; ++j)
        x_row[j] = load<ALIGNED>(x + row * n, length, j, narrow<T>(LOWEST));
    C v[VECTORS][SIZE];
    Part<C> part = {LOWEST, 0};
#pragma unroll
    for (int j = 0; j < VECTORS; ++j)
#pragma unroll
        for (int k = 0; k < SIZE; ++k) {
            v[j][k] = widen(x_row[j].element[k]);
            part.max = fmax(part.max, v[j][k]);
        }
    const C base = part.max == LOWEST ? C(0) : part.max;
#pragma unroll
    for (int j = 0; j < VECTORS; ++j)
#pragma unroll
        for (int k = 0; k < SIZE; ++k) {
            v[j][k] = exponential(v[j][k] - base);
            part.sum += v[j][k];
        }
    const Part<C> whole = over_row(part, {LOWEST, 0}, scratch);
    const C scale = weight(part.max, whole.max) / whole.sum;
#pragma unroll
    for (int j = 0; j < VECTORS; ++j) {
        Vector<T> result;
#pragma unroll
        for (int k = 0; k < SIZE; ++k)
            result.element[k] = narrow<T>(v[j][k] * scale);
        store<ALIGNED>(out + row * n, length, j, result);
    }
}
// [/kernel]

// [wide]
// A row that registers do not hold. CACHED: shared memory keeps what was read, each
// thread its own vectors; else the row is read again.
template <bool ALIGNED, bool CACHED, typename T>
__global__ void __launch_bounds__(1024)
    wide_kernel(const T* __restrict__ x,  // [rows, n]
                T* __restrict__ out,      // [rows, n]
                int64_t n) {
    using C = Compute<T>;
    constexpr int SIZE = Vector<T>::SIZE;
    extern __shared__ uint4 cache[];  // [vectors, blockDim.x]
    __shared__ Part<C> scratch[32];
    const T* x_row = x + blockIdx.x * n;
    T* out_row = out + blockIdx.x * n;
    auto cached = [&](int64_t j) -> Vector<T>& {
        return reinterpret_cast<Vector<T>*>(cache)[j * blockDim.x + threadIdx.x];
    };
    const int64_t vectors = (n - 1) / (SIZE * blockDim.x) + 1;
    Part<C> part = {LOWEST, 0};
    for (int64_t begin = 0; begin < vectors; begin += VECTORS) {
        Vector<T> v[VECTORS];
#pragma unroll
        for (int j = 0; j < VECTORS; ++j)
            v[j] = load<ALIGNED>(x_row, n, begin + j, narrow<T>(LOWEST));
        C max = part.max;
#pragma unroll
        for (int j = 0; j < VECTORS; ++j) {
            if (CACHED && begin + j < vectors) cached(begin + j) = v[j];
#pragma unroll
            for (int k = 0; k < SIZE; ++k) max = fmax(max, widen(v[j].element[k]));
        }
        const C base = max == LOWEST ? C(0) : max;
        C sum = part.sum * weight(part.max, max);
#pragma unroll
        for (int j = 0; j < VECTORS; ++j)
#pragma unroll
            for (int k = 0; k < SIZE; ++k)
                sum += exponential(widen(v[j].element[k]) - base);
        part = {max, sum};
    }
    part = over_row(part, {LOWEST, 0}, scratch);
    const C scale = 1 / part.sum;
#pragma unroll 2
    for (int64_t j = 0; j < vectors; ++j) {
        Vector<T> v = CACHED ? cached(j) : load<ALIGNED>(x_row, n, j, T());
#pragma unroll
        for (int k = 0; k < SIZE; ++k)
            v.element[k] =
                narrow<T>(exponential(widen(v.element[k]) - part.max) * scale);
        store<ALIGNED>(out_row, n, j, v);
    }
}
// [/wide]

// [launch]
template <bool ALIGNED, typename T>
cudaError_t launch_wide(const T* x, T* out, const Layout& l, int64_t n,
                        cudaStream_t stream) {
    int device, most;
    if (cudaError_t error = cudaGetDevice(&device)) return error;
    if (cudaError_t error = cudaDeviceGetAttribute(
            &most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device))
        return error;
    constexpr int64_t SCRATCH = 32 * sizeof(Part<Compute<T>>);
    const int64_t step = l.block.x * Vector<T>::SIZE;
    const int64_t bytes = (n + step - 1) / step * step * sizeof(T);
    if (bytes + SCRATCH > most) {
        wide_kernel<ALIGNED, false><<<l.grid, l.block, 0, stream>>>(x, out, n);
        return cudaGetLastError();
    }
    // more than 48 KiB must be asked for
    if (cudaError_t error = cudaFuncSetAttribute(
            wide_kernel<ALIGNED, true, T>,
            cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)))
        return error;
    wide_kernel<ALIGNED, true><<<l.grid, l.block, bytes, stream>>>(x, out, n);
    return cudaGetLastError();
}

template <bool ALIGNED, typename T>
cudaError_t launch(const T* x, T* out, int64_t rows, int64_t n,
                   cudaStream_t stream) {
    const Layout l = layout<T>(rows, n, MOST<ALIGNED>);
    if (l.wide) return launch_wide<ALIGNED>(x, out, l, n, stream);
    softmax_kernel<ALIGNED><<<l.grid, l.block, 0, stream>>>(x, out, rows, int(n));
    return cudaGetLastError();
}
// [/launch]

}  // namespace

template <typename T>
cudaError_t softmax_v4(const T* x, T* out, int64_t rows, int64_t n,
                       cudaStream_t stream) {
    return aligned<T>(n, x, out) ? launch<true>(x, out, rows, n, stream)
                                 : launch<false>(x, out, rows, n, stream);
}

#define INSTANTIATE(T) \
    template cudaError_t softmax_v4(const T*, T*, int64_t, int64_t, cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(__half)
INSTANTIATE(__nv_bfloat16)
