// An addition on a stream of its own: PyTorch, which made the inputs on another one, is not waited for.
#include <cstdint>

#include <cuda_runtime.h>

__global__ void add_kernel(const float* a, const float* b, float* out, int64_t n) {  // a, b, out: [n]
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

// [wrong]
extern "C" void add_wrong(const float* a, const float* b, float* out, int64_t n) {
    cudaStream_t own;
    cudaStreamCreate(&own);
    add_kernel<<<(n + 255) / 256, 256, 0, own>>>(a, b, out, n);
    cudaStreamSynchronize(own);  // waits for this kernel, not for what fills a and b
    cudaStreamDestroy(own);      // without this line every call would leak a stream
}
// [/wrong]

// [right]
extern "C" void add_right(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    add_kernel<<<(n + 255) / 256, 256, 0, stream>>>(a, b, out, n);
}
// [/right]
