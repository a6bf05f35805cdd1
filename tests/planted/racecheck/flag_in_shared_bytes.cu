// expect: write after read
#include <cuda_runtime.h>

// Flags of one byte: a thread clears the one that its neighbour reads.
__global__ void flags(const float* x, int* ints) {
    __shared__ bool seen[65];
    int t = threadIdx.x;
    seen[t] = x[t] > 0.5f;
    if (t == 0) seen[64] = false;
    __syncthreads();
    bool next = seen[t + 1];  // other
    seen[t] = false;  // here
    __syncthreads();
    ints[t] = next + seen[t];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    flags<<<3, 64, 0, stream>>>(x, ints);
}
