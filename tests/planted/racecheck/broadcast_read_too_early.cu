// expect: read after write
#include <cuda_runtime.h>

// Thread 0 sets what all need; the others do not wait for it.
__device__ void choose(int* shift) {
    if (threadIdx.x == 0) *shift = int(blockIdx.x);  // other
}

__global__ void shifted(const float* x, float* out) {
    __shared__ int shift;
    choose(&shift);
    int s = shift;  // here
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = x[(i + s) % 1024];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    shifted<<<4, 256, 0, stream>>>(x, out);
}
