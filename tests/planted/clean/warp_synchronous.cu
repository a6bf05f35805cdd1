// The last warp goes on alone, with __syncwarp() between reading and writing.
#include <cuda_runtime.h>

__global__ void sum(const float* x, float* out) {
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    if (t < 64) s[t] += s[t + 64];
    __syncthreads();
    if (t < 32) {
        float v = s[t];
        for (int k = 32; k > 0; k /= 2) {
            v += s[t + k];
            __syncwarp();
            s[t] = v;
            __syncwarp();
        }
        if (t == 0) out[0] = v;
    }
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) { sum<<<1, 128, 0, stream>>>(x, out); }
