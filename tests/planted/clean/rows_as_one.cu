// Two-dimensional arrays of the device that are walked through as one, which their memory allows; and local arrays.
#include <cuda_runtime.h>

__constant__ float weight[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
__device__ float table[3][4];

__global__ void flat(const float* x, float* out) {
    __shared__ float tile[4][8];
    int t = threadIdx.x;
    float mine[4] = {1, 2, 3, 4};
    tile[0][t] = x[t];
    __syncthreads();
    if (t < 12) table[0][t] = tile[0][31 - t];
    __syncthreads();
    out[t] = tile[0][31 - t] * weight[0][t % 8] + mine[t % 4] + (t < 12 ? table[0][t] : 0);
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    flat<<<1, 32, 0, stream>>>(x, out);
}
