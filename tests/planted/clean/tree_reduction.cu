// A tree of barriers; the last block is partial and padded with zeros.
#include <cuda_runtime.h>

__global__ void block_sums(const float* x, float* out, int n) {
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int k = 128; k > 0; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    block_sums<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}
