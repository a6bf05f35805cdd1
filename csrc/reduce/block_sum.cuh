// The sum over the threads of a block, by shuffles.
#pragma once

// [warp]
// Lane 0 gets the sum of its warp. The last warp of a block may have fewer than 32
// lanes; those that do not exist are neither named in the mask nor added.
template <typename C>
__device__ C warp_sum(C v) {
    int lane = threadIdx.x % 32;
    int lanes = min(32, int(blockDim.x - threadIdx.x) + lane);
    unsigned mask = ~0u >> (32 - lanes);
    for (int offset = 16; offset > 0; offset /= 2) {
        C other = __shfl_down_sync(mask, v, offset);
        if (lane + offset < lanes) v += other;
    }
    return v;
}
// [/warp]

// [block]
// Thread 0 gets the sum of its block.
template <typename C>
__device__ C block_sum(C v) {
    __shared__ C sums[32];  // one a warp; a block has 32 at the most
    v = warp_sum(v);
    __syncthreads();  // the sums of an earlier call have been read
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x >= 32) return v;
    return warp_sum(threadIdx.x < (blockDim.x + 31) / 32 ? sums[threadIdx.x] : 0);
}
// [/block]
