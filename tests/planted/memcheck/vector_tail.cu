// expect: load out of bounds
#include <cuda_runtime.h>

// 1024 floats are 256 vectors; rounding up again asks for one more.
__global__ void sums(const float4* x, float* out, int vectors) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= vectors) {
        float4 v = x[i];  // here
        out[i] = v.x + v.y + v.z + v.w;
    }
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    sums<<<3, 128, 0, stream>>>(reinterpret_cast<const float4*>(x), out, 256);
}
