// expect: uninitialised load
#include <cuda_runtime.h>

// The first kernel writes n elements, the second reads the rounded number of them.
__global__ void fill(float* scratch, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) scratch[i] = i;
}

__global__ void copy(const float* scratch, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = scratch[i];  // here
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    float* scratch;
    cudaMalloc(&scratch, 1024 * sizeof(float));
    fill<<<4, 256, 0, stream>>>(scratch, n);
    copy<<<4, 256, 0, stream>>>(scratch, out);
    cudaFree(scratch);
}
