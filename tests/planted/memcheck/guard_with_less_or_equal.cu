// expect: store out of bounds
#include <cuda_runtime.h>

// `<=` where `<` was meant: scratch[n] is one too far.
__global__ void copy(const float* x, float* scratch, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += gridDim.x * blockDim.x) scratch[i] = x[i];  // here
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    float* scratch;
    cudaMalloc(&scratch, n * sizeof(float));
    copy<<<3, 96, 0, stream>>>(x, scratch, n);
    cudaFree(scratch);
}
