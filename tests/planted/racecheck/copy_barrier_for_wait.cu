// expect: read before the wait
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

// A barrier orders the threads, but not the copies that they have begun.
__global__ void reverse(const float* x, float* out) {
    __shared__ float4 s[32];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], reinterpret_cast<const float4*>(x) + 32 * blockIdx.x + t, 16);  // other
    __pipeline_commit();
    __syncthreads();
    reinterpret_cast<float4*>(out)[32 * blockIdx.x + t] = s[31 - t];  // here
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    reverse<<<4, 32, 0, stream>>>(x, out);
}
