// expect: store out of bounds
#include <cuda_runtime.h>

// The copy counts the elements of the source, the scratch memory has fewer.
__global__ void twice(float* scratch, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) scratch[i] *= 2;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    float* scratch;
    cudaMalloc(&scratch, 512 * sizeof(float));
    cudaMemcpy(scratch, x, n * sizeof(float), cudaMemcpyDeviceToDevice);  // here
    twice<<<2, 256, 0, stream>>>(scratch, 512);
    cudaFree(scratch);
}
