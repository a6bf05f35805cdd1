// The backward in one pass: what is read once gives dx and partial sums for dweight
// and dbias, which a block keeps in registers over all of its rows.
#include "layer_norm.cuh"
#include "rows.cuh"
#include "wide_backward.cuh"

namespace {

constexpr int VECTORS = 2;  // of x and of grad, a thread's
constexpr int MOST = 512;  // threads on a row
constexpr int THREADS = 256;  // threads of a block, at least
constexpr int THREADS_PER_SM = 512;  // run at once

// [kernel]
template <bool ALIGNED, typename T>
__global__ void __launch_bounds__(MOST)
    backward_kernel(const T* __restrict__ grad,  // [rows, n]
                    const T* __restrict__ x,  // [rows, n]
                    const Compute<T>* __restrict__ mean,  // [rows]
                    const Compute<T>* __restrict__ rstd,  // [rows]
                    const T* __restrict__ weight,  // [n]
                    T* __restrict__ dx,  // [rows, n]
                    Compute<T>* __restrict__ partial,  // [2, gridDim.x, n]
                    int64_t rows, int n) {
    using C = Compute<T>;
    constexpr int SIZE = Vector<T>::SIZE;
    // Two, which take turns: a barrier later, nobody reads the one before the last.
    __shared__ Sums<C> scratch[2][32];
    struct Row {
        Vector<T> x[VECTORS], grad[VECTORS];
        C mean, rstd;
    };
    auto fetch = [&](int64_t row) {
        const int length = row < rows ? n : 0;
        Row fetched;
#pragma unroll
        for (int j = 0; j < VECTORS; ++j) {
            fetched.x[j] = load<ALIGNED>(x + row * n, length, j, narrow<T>(0));
            fetched.grad[j] =
                load<ALIGNED>(grad + row * n, length, j, narrow<T>(0));
        }
        fetched.mean = row < rows ? mean[row] : C(0);
        fetched.rstd = row < rows ? rstd[row] : C(0);
        return fetched;
    };
    Vector<T> w[VECTORS];
#pragma unroll
    for (int j = 0; j < VECTORS; ++j)
        w[j] = load<ALIGNED>(weight, n, j, narrow<T>(0));
    C dweight[VECTORS][SIZE] = {}, dbias[VECTORS][SIZE] = {};
    const int64_t step = int64_t(gridDim.x) * blockDim.y;
    int64_t first = int64_t(blockIdx.x) * blockDim.y;
    Row now = fetch(first + threadIdx.y);
    for (int turn = 0; first < rows; first += step, turn = 1 - turn) {
        const int64_t row = first + threadIdx.y;
        // On its way while this row is computed.
        const Row next = fetch(row + step);
        Sums<C> sums = {0, 0};
#pragma unroll
        for (int j = 0; j < VECTORS; ++j)
#pragma unroll
            for (int k = 0; k < SIZE; ++k) {
                const C y = (widen(now.x[j].element[k]) - now.mean) * now.rstd;
                const C grad = widen(now.grad[j].element[k]);
                const C g = grad * widen(w[j].element[k]);
                sums.g += g;
                sums.gy += g * y;
                dweight[j][k] += grad * y;
                dbias[j][k] += grad;
            }
        sums = over_row(sums, scratch[turn]);
        const C mean_g = sums.g / C(n), mean_gy = sums.gy / C(n);
#pragma unroll
        for (int j = 0; j < VECTORS; ++j) {
            Vector<T> result;
#pragma unroll
            for (int k = 0; k < SIZE; ++k) {
                const C y = (widen(now.x[j].element[k]) - now.mean) * now.rstd;
                const C g = widen(now.grad[j].element[k]) * widen(w[j].element[k]);
                result.element[k] =
                    narrow<T>(now.rstd * (g - mean_g - y * mean_gy));
            }
            store<ALIGNED>(dx + row * n, row < rows ? n : 0, j, result);
        }
        now = next;
    }
    // [partial]
    // registers -> shared -> global: one thread adds up a column of the block; the
    // padding keeps threads 8 columns apart off one bank
    constexpr int ITEMS = MOST * VECTORS * SIZE;
    __shared__ C columns[ITEMS + ITEMS / 32];
    auto padded = [](int i) { return i + i / 32; };
    auto add_up = [&](const C(&sums)[VECTORS][SIZE], C* total) {
        const int width = blockDim.x * VECTORS * SIZE;
        __syncthreads();
#pragma unroll
        for (int j = 0; j < VECTORS; ++j)
#pragma unroll
            for (int k = 0; k < SIZE; ++k)
                columns[padded(threadIdx.y * width + column_of<ALIGNED, T>(j, k))] =
                    sums[j][k];
        __syncthreads();
        int column = threadIdx.y * blockDim.x + threadIdx.x;
        for (; column < n; column += blockDim.x * blockDim.y) {
            C sum = 0;
            for (int y = 0; y < blockDim.y; ++y)
                sum += columns[padded(y * width + column)];
            total[blockIdx.x * int64_t(n) + column] = sum;
        }
    };
    add_up(dweight, partial);
    add_up(dbias, partial + gridDim.x * int64_t(n));
    // [/partial]
}
// [/kernel]

// [finish]
// One block adds up 32 columns of the partial sums, 32 chunks at a time, always in
// the same order; blockIdx.y says of which gradient.
template <typename T>
__global__ void __launch_bounds__(1024)
    finish_kernel(const Compute<T>* __restrict__ partial,  // [2, chunks, n]
                  T* __restrict__ dweight,  // [n]
                  T* __restrict__ dbias,  // [n]
                  int64_t chunks, int64_t n) {
    __shared__ Compute<T> sums[32][32];
    const int64_t column = int64_t(blockIdx.x) * 32 + threadIdx.x;
    Compute<T> sum = 0;
    if (column < n)
        for (int64_t c = threadIdx.y; c < chunks; c += 32)
            sum += partial[(blockIdx.y * chunks + c) * n + column];
    sums[threadIdx.y][threadIdx.x] = sum;
    for (int half = 16; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.y < half)
            sums[threadIdx.y][threadIdx.x] += sums[threadIdx.y + half][threadIdx.x];
    }
    if (threadIdx.y == 0 && column < n)
        (blockIdx.y == 0 ? dweight : dbias)[column] =
            narrow<T>(sums[0][threadIdx.x]);
}
// [/finish]

// [plan]
struct Plan {
    Layout rows;  // of the one pass, or of dx
    dim3 columns;  // the grid that adds up columns, if rows are wide
    int64_t chunks;  // of the partial sums
};

template <typename T>
cudaError_t plan(int64_t rows, int64_t n, Plan* plan) {
    int device, sms;
    if (cudaError_t error = cudaGetDevice(&device)) return error;
    if (cudaError_t error =
            cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device))
        return error;
    Layout& l = plan->rows;
    l = layout<T>(rows, n, VECTORS, MOST, THREADS);
    if (l.wide) {
        const int64_t tile = 128 * Vector<T>::SIZE, tiles = (n + tile - 1) / tile;
        plan->chunks = std::clamp<int64_t>(16 * sms / tiles, 1, (rows + 15) / 16);
        plan->columns = dim3(tiles, plan->chunks);
    } else {  // blocks that stay: each start, and each partial sum, costs
        const unsigned stay = sms * (THREADS_PER_SM / (l.block.x * l.block.y));
        plan->chunks = l.grid = std::min(l.grid, stay);
    }
    return cudaSuccess;
}
// [/plan]

template <bool ALIGNED, typename T>
cudaError_t launch(const T* grad, const T* x, const Compute<T>* mean,
                   const Compute<T>* rstd, const T* weight, T* dx, T* dweight,
                   T* dbias, Compute<T>* partial, int64_t rows, int64_t n,
                   cudaStream_t stream) {
    Plan p;
    if (cudaError_t error = plan<T>(rows, n, &p)) return error;
    if (p.rows.wide) {
        wide_dx_kernel<ALIGNED><<<p.rows.grid, p.rows.block, 0, stream>>>(
            grad, x, mean, rstd, weight, dx, n);
        if (cudaError_t error = cudaGetLastError()) return error;
        wide_columns_kernel<ALIGNED>
            <<<p.columns, 128, 0, stream>>>(grad, x, mean, rstd, partial, rows, n);
    } else {
        backward_kernel<ALIGNED><<<p.rows.grid, p.rows.block, 0, stream>>>(
            grad, x, mean, rstd, weight, dx, partial, rows, int(n));
    }
    if (cudaError_t error = cudaGetLastError()) return error;
    finish_kernel<<<dim3((n + 31) / 32, 2), dim3(32, 32), 0, stream>>>(
        partial, dweight, dbias, p.chunks, n);
    return cudaGetLastError();
}

}  // namespace

template <typename T>
cudaError_t layer_norm_chunks(int64_t rows, int64_t n, int64_t* chunks) {
    Plan p;
    cudaError_t error = plan<T>(rows, n, &p);
    *chunks = p.chunks;
    return error;
}

template <typename T>
cudaError_t layer_norm_backward_v2(const T* grad, const T* x,
                                   const Compute<T>* mean, const Compute<T>* rstd,
                                   const T* weight, T* dx, T* dweight, T* dbias,
                                   Compute<T>* partial, int64_t rows, int64_t n,
                                   cudaStream_t stream) {
    return aligned<T>(n, grad, x, weight, dx)
               ? launch<true>(grad, x, mean, rstd, weight, dx, dweight, dbias,
                              partial, rows, n, stream)
               : launch<false>(grad, x, mean, rstd, weight, dx, dweight, dbias,
                               partial, rows, n, stream);
}

#define INSTANTIATE(T)                                                          \
    template cudaError_t layer_norm_chunks<T>(int64_t, int64_t, int64_t*);      \
    template cudaError_t layer_norm_backward_v2(                                \
        const T*, const T*, const Compute<T>*, const Compute<T>*, const T*, T*, \
        T*, T*, Compute<T>*, int64_t, int64_t, cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(__half)
INSTANTIATE(__nv_bfloat16)
