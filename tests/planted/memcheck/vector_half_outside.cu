// expect: store out of bounds
#include <cuda_runtime.h>

// 1002 floats are 250 vectors and a half: the last store begins inside and ends outside.
__global__ void copy(const float4* x, float4* scratch, int vectors) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= vectors) return;
    float4 v = x[i];
    scratch[i] = v;  // here
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    float* scratch;
    cudaMalloc(&scratch, (n + 2) * sizeof(float));
    copy<<<2, 128, 0, stream>>>(reinterpret_cast<float4*>(x), reinterpret_cast<float4*>(scratch), (n + 2 + 3) / 4);
    cudaFree(scratch);
}
