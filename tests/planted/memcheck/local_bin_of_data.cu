// expect: array index out of bounds
#include <cuda_runtime.h>

// A value of exactly 1 falls into a bin that is not there.
__global__ void private_histogram(const float* x, int* ints, int n) {
    int bins[8] = {};
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float v = i == 777 ? 1.0f : x[i];
        ++bins[int(v * 8)];  // here
    }
    for (int b = 0; b < 8; ++b) atomicAdd(ints + b, bins[b]);
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    private_histogram<<<1, 64, 0, stream>>>(x, ints, n);
}
