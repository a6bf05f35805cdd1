// expect: divergent barrier
#include <cuda_runtime.h>

// Each role has its own barrier, in its own function.
__device__ void produce(float* s, const float* x) {
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();  // here
}

__device__ void consume(const float* s, float* out) {
    __syncthreads();  // other
    out[threadIdx.x] = s[31 - threadIdx.x];
}

__global__ void pipeline(const float* x, float* out) {
    __shared__ float s[32];
    if (threadIdx.y == 0) produce(s, x);
    else consume(s, out);
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    pipeline<<<2, dim3(32, 2), 0, stream>>>(x, out);
}
