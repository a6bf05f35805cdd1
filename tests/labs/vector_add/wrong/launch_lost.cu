// vector_add: launch-lost
#include <cuda_runtime.h>

#include <cstdint>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

extern "C" void vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n == 0) return;
    add<<<(n + 2047) / 2048, 2048, 0, stream>>>(a, b, out, n);
    if (cudaGetLastError() != cudaSuccess) return;
}
