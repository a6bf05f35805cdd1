// expect: read after write
#include <cuda_runtime.h>

// The total is read while others still add to it.
__global__ void total(const float* x, float* out) {
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, x[threadIdx.x]);  // other
    float all = sum;  // here
    out[threadIdx.x] = x[threadIdx.x] / all;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    total<<<1, 96, 0, stream>>>(x, out);
}
