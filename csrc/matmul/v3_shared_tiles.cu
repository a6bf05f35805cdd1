// A block copies tiles of 32 x 32 into shared memory: each element that is read
// from global memory serves 32 threads.
#include "tile.cuh"

namespace {

constexpr int TILE = 32;

// [kernel]
template <typename T>
__global__ void __launch_bounds__(TILE* TILE)
    kernel(const T* __restrict__ a,  // [m, k]
           const T* __restrict__ b,  // [k, n]
           T* __restrict__ c,        // [m, n]
           int64_t m, int64_t n, int64_t k) {
    __shared__ Compute<T> a_smem[TILE][TILE], b_smem[TILE][TILE];
    const Tile<TILE, TILE> tile(m, n);
    int x = threadIdx.x, y = threadIdx.y;
    int64_t row = tile.row + y, column = tile.column + x;
    Compute<T> sum = 0;
    for (int64_t k0 = 0; k0 < k; k0 += TILE) {
        // global -> shared; what lies outside counts as zero
        a_smem[y][x] = row < m && k0 + x < k ? widen(a[row * k + k0 + x]) : 0;
        b_smem[y][x] =
            k0 + y < k && column < n ? widen(b[(k0 + y) * n + column]) : 0;
        __syncthreads();  // the tiles are complete
        for (int i = 0; i < TILE; ++i) sum += a_smem[y][i] * b_smem[i][x];
        __syncthreads();  // nobody reads them any more
    }
    if (row < m && column < n) c[row * n + column] = narrow<T>(sum);
}
// [/kernel]

}  // namespace

template <typename T>
cudaError_t matmul_v3(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k,
                      cudaStream_t stream) {
    kernel<<<Tile<TILE, TILE>::count(m, n), dim3(TILE, TILE), 0, stream>>>(a, b, c,
                                                                           m, n, k);
    return cudaGetLastError();
}

#define INSTANTIATE(T)                                                       \
    template cudaError_t matmul_v3(const T*, const T*, T*, int64_t, int64_t, \
                                   int64_t, cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(__half)
INSTANTIATE(__nv_bfloat16)
