// expect: uninitialised shared load
#include <cuda_runtime.h>

// Flags of one byte are set where something was found, and nowhere cleared.
__global__ void find(const float* x, int* ints) {
    __shared__ unsigned char found[96];
    int t = threadIdx.x;
    if (x[t] > 0.5f) found[t] = 1;
    __syncthreads();
    unsigned char flag = found[95 - t];  // here
    ints[t] = flag;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    find<<<1, 96, 0, stream>>>(x, ints);
}
