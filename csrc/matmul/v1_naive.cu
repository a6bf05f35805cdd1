// One thread an element of c. Neighbouring threads take neighbouring rows.
#include "tile.cuh"

namespace {

// [kernel]
template <typename T>
__global__ void __launch_bounds__(1024) kernel(const T* __restrict__ a,  // [m, k]
                                               const T* __restrict__ b,  // [k, n]
                                               T* __restrict__ c,  // [m, n]
                                               int64_t m, int64_t n, int64_t k) {
    const Tile<32, 32> tile(m, n);
    int64_t row = tile.row + threadIdx.x;
    int64_t column = tile.column + threadIdx.y;
    if (row >= m || column >= n) return;
    Compute<T> sum = 0;
    for (int64_t i = 0; i < k; ++i)
        sum += widen(a[row * k + i]) * widen(b[i * n + column]);
    c[row * n + column] = narrow<T>(sum);
}
// [/kernel]

}  // namespace

template <typename T>
cudaError_t matmul_v1(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k,
                      cudaStream_t stream) {
    kernel<<<Tile<32, 32>::count(m, n), dim3(32, 32), 0, stream>>>(a, b, c, m, n,
                                                                   k);
    return cudaGetLastError();
}

#define INSTANTIATE(T)                                                       \
    template cudaError_t matmul_v1(const T*, const T*, T*, int64_t, int64_t, \
                                   int64_t, cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(__half)
INSTANTIATE(__nv_bfloat16)
