// Blocks of 33 threads, and a guard.
#include <cuda_runtime.h>

__global__ void twice(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * x[i];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    twice<<<(n + 32) / 33, 33, 0, stream>>>(x, out, n);
}
