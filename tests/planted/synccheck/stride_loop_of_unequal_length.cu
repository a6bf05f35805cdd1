// expect: unreachable barrier
#include <cuda_runtime.h>

// 1000 elements in steps of 96: some threads have one round more.
__global__ void walk(const float* x, float* out, int n) {
    __shared__ float s[96];
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        s[threadIdx.x] = x[i];
        __syncthreads();  // here
        out[i] = s[95 - threadIdx.x];
        __syncthreads();
    }
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    walk<<<1, 96, 0, stream>>>(x, out, n);
}
