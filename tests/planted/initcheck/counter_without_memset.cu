// expect: uninitialised load
#include <cuda_runtime.h>

// A ticket counter that nobody set to zero.
__global__ void count(const float* x, unsigned* counter, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > 0.5f) atomicAdd(counter, 1u);  // here
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    unsigned* counter;
    cudaMalloc(&counter, sizeof(unsigned));
    count<<<8, 128, 0, stream>>>(x, counter, n);
    cudaMemcpy(ints, counter, sizeof(unsigned), cudaMemcpyDeviceToDevice);
    cudaFree(counter);
}
