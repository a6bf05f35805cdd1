// expect: shared load out of bounds
#include <cuda_runtime.h>

// The right neighbour of the last thread lies past the array.
__global__ void blur(const float* x, float* out) {
    __shared__ float s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = x[i];
    __syncthreads();
    float left = t > 0 ? s[t - 1] : 0;
    float right = s[t + 1];  // here
    out[i] = (left + s[t] + right) / 3;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    blur<<<16, 64, 0, stream>>>(x, out);
}
