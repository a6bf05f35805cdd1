// expect: use after free
#include <cuda_runtime.h>

// The scratch memory is freed before the kernel that reads it.
__global__ void fill(float* scratch, float v) { scratch[threadIdx.x] = v; }

__global__ void add(const float* scratch, float* out) {
    int i = threadIdx.x;
    out[i] = 1.0f + scratch[i];  // here
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    float* scratch;
    cudaMalloc(&scratch, 96 * sizeof(float));
    fill<<<1, 96, 0, stream>>>(scratch, 3.0f);
    cudaFree(scratch);
    add<<<1, 96, 0, stream>>>(scratch, out);
}
