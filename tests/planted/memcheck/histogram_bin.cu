// expect: atomic out of bounds
#include <cuda_runtime.h>

// Values up to 1 make bins up to 1024, of 1024 bins; so does the clamp that is off by one.
__global__ void histogram(const float* x, int* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int bin = min(int(x[i] * 4096.0f), 1024);
    atomicAdd(&bins[bin], 1);  // here
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    histogram<<<8, 128, 0, stream>>>(x, ints, n);
}
