// expect: shared load out of bounds
#include <cuda_runtime.h>

// The first thread has no left neighbour in the block's array.
__global__ void left(const float* x, float* out) {
    __shared__ float s[96];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    float v = s[t - 1];  // here
    out[t] = s[t] - v;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) { left<<<1, 96, 0, stream>>>(x, out); }
