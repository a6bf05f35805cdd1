// The tile turns in shared memory: a warp writes 32 neighbours, too. But it reads a
// column of the tile, whose elements lie in one bank.
#include "transpose.h"

namespace {

constexpr int TILE = 32;
constexpr int STEP = 8;  // rows of a tile that the block moves at a time

// [kernel]
template <typename T>
__global__ void transpose_kernel(const T* __restrict__ a,  // [rows, n]
                                 T* __restrict__ out,  // [n, rows]
                                 int64_t rows, int64_t n, unsigned tiles) {
    __shared__ T tile[TILE][TILE];
    int64_t row = int64_t(blockIdx.x / tiles) * TILE;
    int64_t column = int64_t(blockIdx.x % tiles) * TILE;
    int x = threadIdx.x, y = threadIdx.y;
    // global -> shared: x runs along a row of a
#pragma unroll
    for (int i = y; i < TILE; i += STEP)
        if (row + i < rows && column + x < n)
            tile[i][x] = a[(row + i) * n + column + x];
    __syncthreads();
    // shared -> global: x runs along a row of out
#pragma unroll
    for (int i = y; i < TILE; i += STEP)
        if (column + i < n && row + x < rows)
            out[(column + i) * rows + row + x] = tile[x][i];
}
// [/kernel]

}  // namespace

// [launcher]
template <typename T>
cudaError_t transpose_v2(const T* a, T* out, int64_t rows, int64_t n,
                         cudaStream_t stream) {
    // One dimension for all tiles: the grid's y would end at 65,535.
    int64_t tiles = (n + TILE - 1) / TILE;  // side by side
    int64_t blocks = tiles * ((rows + TILE - 1) / TILE);
    transpose_kernel<<<blocks, dim3(TILE, STEP), 0, stream>>>(a, out, rows, n,
                                                              tiles);
    return cudaGetLastError();
}
// [/launcher]

template cudaError_t transpose_v2(const uint16_t*, uint16_t*, int64_t, int64_t,
                                  cudaStream_t);
template cudaError_t transpose_v2(const uint32_t*, uint32_t*, int64_t, int64_t,
                                  cudaStream_t);
template cudaError_t transpose_v2(const uint64_t*, uint64_t*, int64_t, int64_t,
                                  cudaStream_t);
