// expect: write after write
#include <cuda_runtime.h>

// Every thread that thinks its value the largest writes it.
__global__ void position(const float* x, int* ints, int n) {
    int i = threadIdx.x;
    if (i < n && x[i] > 0.5f) ints[0] = i;  // here
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    position<<<1, 512, 0, stream>>>(x, ints, n);
}
