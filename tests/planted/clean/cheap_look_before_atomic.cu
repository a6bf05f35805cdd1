// Who cannot win does not use the atomic; the rest of the block reads after the barrier.
#include <cuda_runtime.h>

__global__ void largest(const float* x, int* ints, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = i < n ? int(x[i] * 1e6f) : 0;
    if (v > ints[0]) atomicMax(&ints[0], v);
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    largest<<<8, 128, 0, stream>>>(x, ints, n);
}
