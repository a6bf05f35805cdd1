// expect: store out of bounds
#include <cuda_runtime.h>

// Each thread copies a row of 32; the last row has room for 24.
#include <cstring>

__global__ void rows(const float* x, float* scratch, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    memcpy(scratch + r * columns, x + r * columns, columns * sizeof(float));  // here
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    float* scratch;
    cudaMalloc(&scratch, (32 * 32 - 8) * sizeof(float));
    rows<<<4, 8, 0, stream>>>(x, scratch, 32);
    cudaFree(scratch);
}
