// expect: uninitialised load
#include <cuda_runtime.h>

// Element 0 of the offsets is never written: the scan starts at 1.
__global__ void make(const float* x, int* offset, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) offset[i + 1] = int(x[i] * 10);
}

__global__ void use(const int* offset, int* ints, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) ints[i] = offset[i + 1] - offset[i];  // here
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    int* offset;
    cudaMalloc(&offset, (n + 1) * sizeof(int));
    make<<<4, 256, 0, stream>>>(x, offset, n);
    use<<<4, 256, 0, stream>>>(offset, ints, n);
    cudaFree(offset);
}
