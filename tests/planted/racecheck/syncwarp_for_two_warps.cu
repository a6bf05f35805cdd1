// expect: read after write
#include <cuda_runtime.h>

// __syncwarp() orders one warp; the block has two.
__global__ void swap(const float* x, float* out) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = x[t];  // other
    __syncwarp();
    float v = s[(t + 32) % 64];  // here
    out[t] = v;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) { swap<<<2, 64, 0, stream>>>(x, out); }
