// A tree that adds neighbours first: right, and slow, since its threads meet in few
// banks of shared memory. For the chapter on reductions.
#include <cuda_runtime.h>

// [kernel]
__global__ void tree(const float* a, float* out) {
    __shared__ float sums[256];
    sums[threadIdx.x] = a[threadIdx.x];
    for (int offset = 1; offset < blockDim.x; offset *= 2) {
        __syncthreads();
        int i = 2 * offset * threadIdx.x;
        if (i < blockDim.x) sums[i] += sums[i + offset];
    }
    if (threadIdx.x == 0) *out = sums[0];
}
// [/kernel]

// a: [256], out: [1]
extern "C" void neighbours(const float* a, float* out, cudaStream_t stream) {
    tree<<<1, 256, 0, stream>>>(a, out);
}
