// Kernels as values: launches by pointer, cooperative launches, attributes, occupancy. Results go to `out`.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

template <typename T>
__global__ void scale(const T* in, T* out, T factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * factor;
}

extern "C" void launch_by_pointer(const float* in, float* out, float factor, int n, cudaStream_t stream) {
    void* args[] = {&in, &out, &factor, &n};
    cudaLaunchKernel((const void*)scale<float>, dim3((n + 63) / 64), dim3(64), args, 0, stream);
}

extern "C" void launch_extended(const float* in, float* out, float factor, int n, cudaStream_t stream) {
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((n + 63) / 64);
    config.blockDim = dim3(64);
    config.stream = stream;
    cudaLaunchKernelEx(&config, scale<float>, in, out, factor, n);
}

// Each block adds up its part; after the grid's barrier, the first adds up the parts.
__global__ void sum_kernel(const float* in, float* part, float* again, float* out, int n) {
    __shared__ float total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += in[i];
    atomicAdd(&total, mine);
    __syncthreads();
    if (threadIdx.x == 0) part[blockIdx.x] = total;
    cg::this_grid().sync();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        for (int b = 0; b < gridDim.x; ++b) *out += part[b];
    if (threadIdx.x == 0) again[blockIdx.x] = total;  // shared memory lives on beyond the grid's barrier
}

extern "C" void grid_sum(const float* in, float* part, float* again, float* out, int n, int blocks, int threads,
                         cudaStream_t stream) {
    void* args[] = {&in, &part, &again, &out, &n};
    cudaLaunchCooperativeKernel((void*)sum_kernel, dim3(blocks), dim3(threads), args, 0, stream);
}

__global__ void __launch_bounds__(256, 4) promised(int* out) {
    extern __shared__ int room[];
    if (out) *out = room[0];
}

__global__ void plain(int* out) {
    __shared__ float fixed[1024];
    fixed[threadIdx.x] = 0;
    __syncthreads();
    if (out) *out = int(fixed[0]);
}

extern "C" void attributes(int* out, cudaStream_t stream) {
    int seen[8], blocks = 0, min_grid = 0, block_size = 0;
    cudaFuncAttributes a;
    plain<<<1, 32, 0, stream>>>(nullptr);
    seen[0] = cudaFuncGetAttributes(&a, plain);
    seen[1] = int(a.sharedSizeBytes);
    cudaFuncGetAttributes(&a, promised);
    seen[2] = a.maxThreadsPerBlock;
    seen[3] = cudaFuncSetAttribute(promised, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024);
    cudaFuncGetAttributes(&a, promised);
    seen[4] = a.maxDynamicSharedSizeBytes;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, promised, 128, 100 * 1024);
    seen[5] = blocks;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 64, 0);
    seen[6] = blocks;
    seen[7] = cudaOccupancyMaxPotentialBlockSize(&min_grid, &block_size, promised, 0, 0);
    cudaMemcpyAsync(out, seen, sizeof seen, cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
}
