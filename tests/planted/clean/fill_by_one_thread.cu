// One thread fills shared memory by memset() and memcpy(), and the others use it.
#include <cuda_runtime.h>

#include <cstring>

__global__ void filled(const float* x, float* out, int count) {
    __shared__ float a[64], b[64];
    if (threadIdx.x == 0) {
        memset(a, 0, sizeof a);
        memcpy(b, x, count * sizeof(float));
    }
    __syncthreads();
    out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    filled<<<1, 64, 0, stream>>>(x, out, 64);
}
