// expect: unreachable barrier
#include <cuda_runtime.h>

// The threads behind the end return; the others wait for them.
__global__ void block_sums(const float* x, float* out, int n) {
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    if (i >= n) return;
    s[t] = x[i];
    __syncthreads();  // here
    out[i] = s[(t + 1) % 200];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    block_sums<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}
