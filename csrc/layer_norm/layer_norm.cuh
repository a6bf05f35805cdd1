// What all versions share: conversions and reductions.
#pragma once
#include <algorithm>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "layer_norm.h"

// [convert]
__device__ inline float widen(float v) { return v; }
__device__ inline double widen(double v) { return v; }
__device__ inline float widen(__half v) { return __half2float(v); }
__device__ inline float widen(__nv_bfloat16 v) { return __bfloat162float(v); }

template <typename T>
__device__ inline T narrow(Compute<T> v) {
    if constexpr (std::is_same_v<T, __half>) return __float2half(v);
    else if constexpr (std::is_same_v<T, __nv_bfloat16>) return __float2bfloat16(v);
    else return v;
}
// [/convert]

// [sums]
// The backward's two sums over a row: of g, and of g * y.
template <typename C>
struct Sums {
    C g, gy;
};
// [/sums]

// [lanes]
// Each of `width` neighbouring lanes gets the sum; width is a power of two, and
// every lane of the warp takes part.
template <typename C>
__device__ C over_lanes(C v, int width) {
    for (int lane = width / 2; lane > 0; lane /= 2)
        v += __shfl_xor_sync(0xffffffff, v, lane);
    return v;
}

template <typename C>
__device__ Sums<C> over_lanes(Sums<C> sums, int width) {
    return {over_lanes(sums.g, width), over_lanes(sums.gy, width)};
}
// [/lanes]

// [row]
// Each of the blockDim.x threads of a row gets the sum: 32 or fewer, a power of
// two, which need no barrier; or whole warps. scratch: [32], the caller's, for one
// sum between two barriers.
template <typename V>
__device__ V over_row(V v, V* scratch) {
    v = over_lanes(v, min(int(blockDim.x), 32));
    if (blockDim.x > 32) {
        const int warps = blockDim.x / 32, lane = threadIdx.x % 32;
        V* mine = scratch + threadIdx.y * warps;
        if (lane == 0) mine[threadIdx.x / 32] = v;
        __syncthreads();
        v = over_lanes(lane < warps ? mine[lane] : V{}, 32);
    }
    return v;
}
// [/row]

// [block]
// For the versions with a block of whole warps on one row at a time.
inline unsigned threads_for(int64_t n, int64_t each, int64_t most) {
    const int64_t warps = (n + 32 * each - 1) / (32 * each);
    return 32 * unsigned(std::min(warps, most / 32));
}
// About as many blocks as a large GPU holds at once; each goes on to further rows.
inline unsigned blocks_for(int64_t rows) {
    return unsigned(std::min<int64_t>(rows, 4096));
}
// [/block]
