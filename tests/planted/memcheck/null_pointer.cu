// expect: load out of bounds
#include <cuda_runtime.h>

// An optional argument that is used without a look.
__global__ void add(const float* x, const float* bias, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] + bias[i % 32];  // here
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    add<<<4, 256, 0, stream>>>(x, nullptr, out, n);
}
