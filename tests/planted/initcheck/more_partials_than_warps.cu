// expect: uninitialised shared load
#include <cuda_runtime.h>

// Four warps write a partial sum each; all 32 lanes of the first read one.
__device__ float warp_sum(float v) {
    for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(0xffffffffu, v, k);
    return v;
}

__global__ void sum(const float* x, float* out) {
    __shared__ float partial[32];
    int t = threadIdx.x;
    float v = warp_sum(x[t]);
    if (t % 32 == 0) partial[t / 32] = v;
    __syncthreads();
    if (t < 32) {
        v = partial[t];  // here
        v = warp_sum(v);
        if (t == 0) out[0] = v;
    }
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) { sum<<<1, 128, 0, stream>>>(x, out); }
