// A block moves a tile of 32 x 32. A warp reads 32 neighbours and writes to 32
// rows.
#include "transpose.h"

namespace {

constexpr int TILE = 32;
constexpr int STEP = 8;  // rows of a tile that the block moves at a time

// [kernel]
template <typename T>
__global__ void transpose_kernel(const T* __restrict__ a,  // [rows, n]
                                 T* __restrict__ out,      // [n, rows]
                                 int64_t rows, int64_t n, unsigned tiles) {
    int64_t row = int64_t(blockIdx.x / tiles) * TILE + threadIdx.y;
    int64_t column = int64_t(blockIdx.x % tiles) * TILE + threadIdx.x;
#pragma unroll
    for (int i = 0; i < TILE; i += STEP)
        if (row + i < rows && column < n)
            out[column * rows + row + i] = a[(row + i) * n + column];
}
// [/kernel]

}  // namespace

// [launcher]
template <typename T>
cudaError_t transpose_v1(const T* a, T* out, int64_t rows, int64_t n,
                         cudaStream_t stream) {
    // One dimension for all tiles: the grid's y would end at 65,535.
    int64_t tiles = (n + TILE - 1) / TILE;  // side by side
    int64_t blocks = tiles * ((rows + TILE - 1) / TILE);
    transpose_kernel<<<blocks, dim3(TILE, STEP), 0, stream>>>(a, out, rows, n,
                                                              tiles);
    return cudaGetLastError();
}
// [/launcher]

template cudaError_t transpose_v1(const uint16_t*, uint16_t*, int64_t, int64_t,
                                  cudaStream_t);
template cudaError_t transpose_v1(const uint32_t*, uint32_t*, int64_t, int64_t,
                                  cudaStream_t);
template cudaError_t transpose_v1(const uint64_t*, uint64_t*, int64_t, int64_t,
                                  cudaStream_t);
