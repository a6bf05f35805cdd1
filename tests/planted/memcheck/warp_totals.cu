// expect: shared store out of bounds
#include <cuda_runtime.h>

// One total a warp: 1024 threads have 32 of them, the array 16.
__global__ void sum(const float* x, float* out) {
    __shared__ float total[16];
    float v = x[threadIdx.x];
    for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(0xffffffffu, v, k);
    if (threadIdx.x % 32 == 0) total[threadIdx.x / 32] = v;  // here
    __syncthreads();
    if (threadIdx.x < 16) out[threadIdx.x] = total[threadIdx.x];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    sum<<<1, 1024, 0, stream>>>(x, out);
}
