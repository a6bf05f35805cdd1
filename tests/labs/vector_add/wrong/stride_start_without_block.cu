// vector_add_grid_stride: start-without-block
#include <cuda_runtime.h>

#include <cstdint>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t stride = int64_t(gridDim.x) * blockDim.x;
    for (int64_t i = threadIdx.x; i < n; i += stride) out[i] = a[i] + b[i];
}

extern "C" void vector_add_grid_stride(const float* a, const float* b, float* out, int64_t n, int blocks, cudaStream_t stream) {
    add<<<blocks, 256, 0, stream>>>(a, b, out, n);
}
