// expect: uninitialised shared load
#include <cuda_runtime.h>

// Room for two halo elements; only the left one is loaded.
__global__ void blur(const float* x, float* out) {
    __shared__ float s[66];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t + 1] = x[i];
    if (t == 0) s[0] = i > 0 ? x[i - 1] : 0;
    __syncthreads();
    float right = s[t + 2];  // here
    out[i] = s[t] + s[t + 1] + right;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    blur<<<16, 64, 0, stream>>>(x, out);
}
