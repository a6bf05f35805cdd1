// What all versions share: conversions, the exponential, and reductions.
#pragma once
#include <algorithm>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "softmax.h"

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

// [exponential]
constexpr float LOWEST =
    -__builtin_huge_valf();  // -infinity, the maximum of nothing

// exp(difference). The GPU has an instruction for exp2. The difference is taken
// first: scaled by itself, a large finite x would overflow.
__device__ inline float exponential(float difference) {
    return exp2f(difference * 1.44269504f);
}
__device__ inline double exponential(double difference) {
    return exp2(difference * 1.442695040888963407);
}

// What sums relative to the maximum `from` are multiplied by to be relative to
// `to`; not NaN where both are infinite.
template <typename C>
__device__ inline C weight(C from, C to) {
    return from == to ? C(1) : exponential(from - to);
}
// [/exponential]

// [part]
// What is known of a part of a row: its maximum, and the sum of exp(x - max).
template <typename C>
struct Part {
    C max, sum;
};
// [/part]

// [lanes]
// Each of `width` neighbouring lanes gets the result; width is a power of two, and
// every lane of the warp takes part.
constexpr unsigned WARP = 0xffffffff;

template <typename C>
__device__ C max_of_lanes(C v, int width) {
    for (int lane = width / 2; lane > 0; lane /= 2)
        v = fmax(v, __shfl_xor_sync(WARP, v, lane));
    return v;
}

template <typename C>
__device__ C over_lanes(C v, int width) {
    for (int lane = width / 2; lane > 0; lane /= 2)
        v += __shfl_xor_sync(WARP, v, lane);
    return v;
}

template <typename C>
__device__ Part<C> over_lanes(Part<C> part, int width) {
    const C max = max_of_lanes(part.max, width);
    return {max, over_lanes(part.sum * weight(part.max, max), width)};
}
// [/lanes]

// [row]
// Each of the blockDim.x threads of a row gets the result: 32 or fewer, a power of
// two, which need no barrier; or whole warps. `nothing` changes no result.
// scratch: [32], the caller's, for one reduction between two barriers.
template <typename V>
__device__ V over_row(V v, V nothing, V* scratch) {
    v = over_lanes(v, min(int(blockDim.x), 32));
    if (blockDim.x > 32) {
        const int warps = blockDim.x / 32, lane = threadIdx.x % 32;
        V* mine = scratch + threadIdx.y * warps;
        if (lane == 0) mine[threadIdx.x / 32] = v;
        __syncthreads();
        v = over_lanes(lane < warps ? mine[lane] : nothing, 32);
    }
    return v;
}
// [/row]

// [block]
// For v1, v2 and v3: a block of whole warps on one row at a time.
inline unsigned threads_for(int64_t n, int64_t each, int64_t most) {
    const int64_t warps = (n + 32 * each - 1) / (32 * each);
    return 32 * unsigned(std::min(warps, most / 32));
}
// About as many blocks as a large GPU holds at once; each goes on to further rows.
inline unsigned blocks_for(int64_t rows) {
    return unsigned(std::min<int64_t>(rows, 4096));
}
// [/block]
