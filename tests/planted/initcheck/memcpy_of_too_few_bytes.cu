// expect: uninitialised load
#include <cuda_runtime.h>

// cudaMemcpy counts bytes, not elements.
__global__ void twice(const double* from, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = float(2 * from[i]);  // here
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    double* scratch;
    cudaMalloc(&scratch, 500 * sizeof(double));
    cudaMemcpy(scratch, x, 500, cudaMemcpyDeviceToDevice);
    twice<<<2, 256, 0, stream>>>(scratch, out, 500);
    cudaFree(scratch);
}
