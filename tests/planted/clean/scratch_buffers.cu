// Scratch memory: set, filled by one kernel, read by the next, freed, and asked for again.
#include <cuda_runtime.h>

__global__ void add_to(float* scratch, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) scratch[i] += x[i];
}

__global__ void reverse(const float* scratch, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = scratch[n - 1 - i];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    for (int k = 0; k < 3; ++k) {
        float* scratch;
        cudaMalloc(&scratch, n * sizeof(float));
        cudaMemsetAsync(scratch, 0, n * sizeof(float), stream);
        add_to<<<4, 256, 0, stream>>>(scratch, x, n);
        reverse<<<4, 256, 0, stream>>>(scratch, out, n);
        cudaFree(scratch);
    }
}
