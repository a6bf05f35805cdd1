// expect: leak
#include <cuda_runtime.h>

// The early way out forgets the memory.
__global__ void ones(float* scratch, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) scratch[i] = 1;
}

static void work(float* out, int n, cudaStream_t stream) {
    float* scratch = nullptr;
    cudaMalloc(&scratch, n * sizeof(float));  // here
    ones<<<8, 125, 0, stream>>>(scratch, n);
    if (n % 16 != 0) return;
    cudaMemcpy(out, scratch, n * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaFree(scratch);
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) { work(out, n, stream); }
