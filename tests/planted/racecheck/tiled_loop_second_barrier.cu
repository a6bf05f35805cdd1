// expect: write after read
#include <cuda_runtime.h>

// The barrier at the end of the round is missing: a fast warp overwrites the tile while a slow one reads it.
__global__ void tiled(const float* x, float* out) {
    __shared__ float tile[64];
    float sum = 0;
    for (int k = 0; k < 1024; k += 64) {
        tile[threadIdx.x] = x[k + threadIdx.x];  // here
        __syncthreads();
        for (int j = 0; j < 64; ++j) sum += tile[j];  // other
    }
    out[threadIdx.x] = sum;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    tiled<<<1, 64, 0, stream>>>(x, out);
}
