// expect: write after read
#include <cuda_runtime.h>

// In place: the right neighbour of the last element belongs to the next block.
__global__ void difference(float* data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float right = i + 1 < n ? data[i + 1] : 0;  // other
    __syncthreads();
    if (i < n) data[i] = right;  // here
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    cudaMemcpy(out, x, n * sizeof(float), cudaMemcpyDeviceToDevice);
    difference<<<10, 100, 0, stream>>>(out, n);
}
