// expect: uninitialised shared load
#include <cuda_runtime.h>

// Of the two arrays in dynamic shared memory only one is loaded.
__global__ void dot(const float* x, float* out) {
    extern __shared__ float a[];
    float* b = a + blockDim.x;
    int t = threadIdx.x;
    a[t] = x[t];
    __syncthreads();
    float v = b[blockDim.x - 1 - t];  // here
    out[t] = a[t] * v;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    dot<<<1, 96, 2 * 96 * sizeof(float), stream>>>(x, out);
}
