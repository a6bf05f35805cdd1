// expect: write after write
#include <cuda_runtime.h>

// Two threads write different values into one element.
__global__ void pairs(const float* x, float* out) {
    __shared__ float s[32];
    int t = threadIdx.x;
    s[t / 2] = x[t];  // here
    __syncthreads();
    if (t < 32) out[t] = s[t];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    pairs<<<1, 64, 0, stream>>>(x, out);
}
