// expect: load out of bounds
#include <cuda_runtime.h>

// The last element has no right neighbour.
__global__ void difference(const float* x, float* out, int size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size) return;
    float right = x[i + 1];  // here
    out[i] = right - x[i];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    difference<<<8, 128, 0, stream>>>(x, out, 1024);
}
