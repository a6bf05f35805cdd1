// expect: uninitialised shared load
#include <cuda_runtime.h>

// Three parts of each float4 are written, all four are read.
__global__ void colours(const float* x, float4* out) {
    __shared__ float4 s[32];
    int t = threadIdx.x;
    s[t].x = x[3 * t];
    s[t].y = x[3 * t + 1];
    s[t].z = x[3 * t + 2];
    __syncthreads();
    float4 v = s[31 - t];  // here
    out[t] = v;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    colours<<<1, 32, 0, stream>>>(x, reinterpret_cast<float4*>(out));
}
