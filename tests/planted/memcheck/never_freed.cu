// expect: leak
#include <cuda_runtime.h>

__global__ void twice(const float* x, float* scratch, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) scratch[i] = 2 * x[i];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    float* scratch;
    cudaMalloc(&scratch, n * sizeof(float));  // here
    twice<<<4, 256, 0, stream>>>(x, scratch, n);
    cudaMemcpy(out, scratch, n * sizeof(float), cudaMemcpyDeviceToDevice);
}
