// expect: store out of bounds
#include <cuda_runtime.h>

// No `if (i < n)`: the last block's threads write past the end.
__global__ void scale(const float* x, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2.0f * x[i % 1024];  // here
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    scale<<<5, 256, 0, stream>>>(x, out);
}
