// Cooperative groups. Every kernel writes values that the test can compute.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_runtime.h>

#include <cassert>

namespace cg = cooperative_groups;

// Eight values a thread.
template <int N>
__global__ void tiles_kernel(const int* in, int* out) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<N> tile = cg::tiled_partition<N>(block);  // the parent is left out of the type
    int i = blockIdx.x * block.size() + block.thread_rank(), v = in[i];
    int* o = out + 10 * i;
    o[0] = tile.thread_rank();
    o[1] = tile.meta_group_rank() * 100 + tile.meta_group_size();
    o[2] = tile.shfl(v, N / 2);
    o[3] = tile.shfl_down(v, 1);
    o[4] = tile.shfl_up(v, 1);
    o[5] = tile.shfl_xor(v, N > 1);
    o[6] = tile.ballot(v % 2 == 0);
    o[7] = cg::reduce(tile, v, cg::plus<int>());
    o[8] = cg::reduce(tile, v, cg::greater<int>()) * 1000 + cg::reduce(tile, v, cg::less<int>());
    o[9] = cg::inclusive_scan(tile, v, cg::plus<int>());
    block.sync();
}

extern "C" void tiles(const int* in, int* out, int size, int blocks, int threads, cudaStream_t stream) {
    switch (size) {
        case 4: tiles_kernel<4><<<blocks, threads, 0, stream>>>(in, out); break;
        case 16: tiles_kernel<16><<<blocks, threads, 0, stream>>>(in, out); break;
        case 32: tiles_kernel<32><<<blocks, threads, 0, stream>>>(in, out); break;
    }
}

// One atomic for all lanes that are here: each gets the place that an atomic of its own would have given.
__device__ int aggregated_increment(int* counter) {
    cg::coalesced_group here = cg::coalesced_threads();
    int first = 0;
    if (here.thread_rank() == 0) first = atomicAdd(counter, int(here.size()));
    return here.shfl(first, 0) + here.thread_rank();
}

__global__ void filter_kernel(const int* in, int* out, int* counter, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0) out[aggregated_increment(counter)] = in[i];
}

extern "C" void filter(const int* in, int* out, int* counter, int n, cudaStream_t stream) {
    filter_kernel<<<(n + 127) / 128, 128, 0, stream>>>(in, out, counter, n);
}

// Values of 16 bytes go through the shuffles of a group too.
__global__ void wide_kernel(const float4* in, float4* out) {
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    float4 v = in[threadIdx.x];
    float4* o = out + 4 * threadIdx.x;
    o[0] = tile.shfl(v, 3);
    o[1] = tile.shfl_down(v, 1);
    o[2] = tile.shfl_up(v, 2);
    o[3] = tile.shfl_xor(v, 5);
}

extern "C" void wide(const float* in, float* out, int threads, cudaStream_t stream) {
    wide_kernel<<<1, threads, 0, stream>>>(reinterpret_cast<const float4*>(in), reinterpret_cast<float4*>(out));
}

// A sum over the block: tiles, then shared memory, with group barriers only.
__global__ void sum_kernel(const int* in, int* out) {
    __shared__ int part[32];
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    assert(block.size() == blockDim.x * blockDim.y);
    int v = cg::reduce(warp, in[blockIdx.x * block.size() + block.thread_rank()], cg::plus<int>());
    if (warp.thread_rank() == 0) part[warp.meta_group_rank()] = v;
    cg::sync(block);
    if (block.thread_rank() == 0) {
        int total = 0;
        for (unsigned w = 0; w < warp.meta_group_size(); ++w) total += part[w];
        out[block.group_index().x] = total;
    }
}

extern "C" void sum(const int* in, int* out, int blocks, cudaStream_t stream) {
    sum_kernel<<<blocks, dim3(32, 6), 0, stream>>>(in, out);
}
