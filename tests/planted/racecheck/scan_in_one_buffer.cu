// expect: write after read
#include <cuda_runtime.h>

// A scan step reads its neighbour's element and writes its own, with one barrier where two are needed.
__global__ void scan(const float* x, float* out) {
    extern __shared__ float s[];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int k = 1; k < int(blockDim.x); k *= 2) {
        float left = t >= k ? s[t - k] : 0;  // other
        s[t] += left;  // here
        __syncthreads();
    }
    out[t] = s[t];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    scan<<<1, 128, 128 * sizeof(float), stream>>>(x, out);
}
