// An addition on a stream of its own, which does not wait for PyTorch's, and one
// on the stream that it is given.
#include <cstdint>

#include <cuda_runtime.h>

// a, b, out: [n]
__global__ void add_kernel(const float* a, const float* b, float* out, int64_t n) {
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

// [add]
extern "C" void add_wrong(const float* a, const float* b, float* out, int64_t n) {
    cudaStream_t own;
    cudaStreamCreate(&own);
    add_kernel<<<(n + 255) / 256, 256, 0, own>>>(a, b, out, n);
    cudaStreamSynchronize(own);  // waits for this kernel, not for a and b
    cudaStreamDestroy(own);      // else every call leaks a stream
}

extern "C" void add_right(const float* a, const float* b, float* out, int64_t n,
                          cudaStream_t stream) {
    add_kernel<<<(n + 255) / 256, 256, 0, stream>>>(a, b, out, n);
}
// [/add]
