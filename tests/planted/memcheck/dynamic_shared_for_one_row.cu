// expect: shared store out of bounds
#include <cuda_runtime.h>

// Dynamic shared memory for one row, used for two.
__global__ void rows(const float* x, float* out) {
    extern __shared__ float s[];
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    s[t] = x[t];  // here
    __syncthreads();
    out[t] = s[t];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    rows<<<1, dim3(256, 2), 256 * sizeof(float), stream>>>(x, out);
}
