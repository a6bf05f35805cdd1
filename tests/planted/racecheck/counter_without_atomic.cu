// expect: write after read
#include <cuda_runtime.h>

// Read, add one, write: threads lose each other's counts.
__global__ void count(const float* x, int* ints, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > 0.5f) {
        int before = ints[0];  // other
        ints[0] = before + 1;  // here
    }
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    count<<<4, 256, 0, stream>>>(x, ints, n);
}
