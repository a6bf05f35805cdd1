// expect: array index out of bounds
#include <cuda_runtime.h>

// The remainder of a negative number is negative.
__global__ void ring(const float* x, float* out, int n) {
    float last[3] = {0, 0, 0};
    int t = threadIdx.x;
    for (int k = 0; k < 6; ++k) {
        last[(t + k - 2) % 3] += x[k];  // here
        out[t] = last[k % 3];
    }
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    ring<<<1, 96, 0, stream>>>(x, out, n);
}
