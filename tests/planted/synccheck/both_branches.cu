// expect: divergent barrier
#include <cuda_runtime.h>

// A barrier in each branch: the threads meet at two of them.
__global__ void split(const float* x, float* out) {
    __shared__ float s[64];
    int t = threadIdx.x;
    if (t < 32) {
        s[t] = x[t];
        __syncthreads();  // here
    } else {
        s[t] = -x[t];
        __syncthreads();  // other
    }
    out[t] = s[63 - t];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    split<<<1, 64, 0, stream>>>(x, out);
}
