// Sixteen bytes from an address that may not be a multiple of 16.
#include <cuda_runtime.h>

// [kernel]
__global__ void copy4_kernel(const float* in, float4* out) {
    *out = *reinterpret_cast<const float4*>(in);
}
// [/kernel]

extern "C" void copy4(const float* in, float* out, cudaStream_t stream) {
    copy4_kernel<<<1, 1, 0, stream>>>(in, reinterpret_cast<float4*>(out));
    cudaStreamSynchronize(stream);
}
