// Asynchronous copies from global to shared memory.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;
constexpr int TILE = 128;

// out[i] = sum over the tiles of in[tile][i], with the next tile on its way while the last is added up.
__global__ void column_sums(const float4* in, float* out, int tiles) {
    __shared__ float4 buffer[2][TILE / 4];
    int t = threadIdx.x;
    float sum = 0;
    auto fetch = [&](int tile) {
        if (tile < tiles && t < TILE / 4) __pipeline_memcpy_async(&buffer[tile % 2][t], &in[tile * (TILE / 4) + t], 16);
        __pipeline_commit();
    };
    fetch(0);
    for (int tile = 0; tile < tiles; ++tile) {
        fetch(tile + 1);
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += reinterpret_cast<float*>(buffer[tile % 2])[t];
        __syncthreads();
    }
    out[t] = sum;
}

extern "C" void pipelined(const float* in, float* out, int tiles, cudaStream_t stream) {
    column_sums<<<1, TILE, 0, stream>>>(reinterpret_cast<const float4*>(in), out, tiles);
}

// Only the first 4 of 8 bytes exist; the rest becomes zero.
__global__ void padded_kernel(const float* in, float2* out) {
    __shared__ float2 pair[32];
    __pipeline_memcpy_async(&pair[threadIdx.x], in + 2 * threadIdx.x, 8, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = pair[threadIdx.x];
}

extern "C" void padded(const float* in, float* out, cudaStream_t stream) {
    padded_kernel<<<1, 32, 0, stream>>>(in, reinterpret_cast<float2*>(out));
}

// The whole block copies together; reversed on the way out.
__global__ void group_kernel(const float* in, float* out, int n) {
    extern __shared__ float whole[];
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, whole, in, n * sizeof(float));
    cg::wait(block);
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = whole[n - 1 - i];
}

extern "C" void by_group(const float* in, float* out, int n, int threads, cudaStream_t stream) {
    group_kernel<<<1, threads, n * sizeof(float), stream>>>(in, out, n);
}
