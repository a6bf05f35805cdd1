// expect: unreachable barrier
#include <cuda_runtime.h>

// A barrier of the block where only one warp passes.
__global__ void sum(const float* x, float* out) {
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    if (t < 32) {
        s[t] += s[t + 32] + s[t + 64] + s[t + 96];
        __syncthreads();  // here
        if (t == 0) out[0] = s[0] + s[1];
    }
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) { sum<<<1, 128, 0, stream>>>(x, out); }
