// expect: misaligned access
#include <cuda_runtime.h>

// x + 1 is a multiple of 4 bytes, a float4 needs one of 16.
__global__ void copy(const float* x, float4* out, int vectors) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < vectors) {
        float4 v = reinterpret_cast<const float4*>(x + 1)[i];  // here
        out[i] = v;
    }
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    copy<<<4, 50, 0, stream>>>(x, reinterpret_cast<float4*>(out), n / 4);
}
