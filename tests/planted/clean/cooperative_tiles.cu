// Cooperative groups: tiles of a warp that synchronise and sum, and the whole block.
#include <cuda_runtime.h>

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void sums(const float* x, float* out) {
    __shared__ float s[96];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int t = block.thread_rank();
    s[t] = x[t];
    tile.sync();
    float v = s[t ^ 1];
    tile.sync();
    s[t] = v;
    block.sync();
    v = s[95 - t];
    for (int k = tile.size() / 2; k > 0; k /= 2) v += tile.shfl_down(v, k);
    if (tile.thread_rank() == 0) out[t / 8] = v;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) { sums<<<1, 96, 0, stream>>>(x, out); }
