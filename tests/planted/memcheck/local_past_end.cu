// expect: array index out of bounds
#include <cuda_runtime.h>

// A window of four values that is filled with five.
__global__ void median(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 4 >= n) return;
    float window[4], total = 0;
    for (int k = 0; k <= 4; ++k) window[k] = x[i + k];  // here
    for (int k = 0; k < 4; ++k) total += window[k];
    out[i] = total / 4;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    median<<<8, 128, 0, stream>>>(x, out, n);
}
