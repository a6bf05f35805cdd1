// Constant and global variables, tables in functions, and arrays of a thread's own.
#include <cuda_runtime.h>

__constant__ float weight[4];
__device__ int table[16];

__device__ int lookup(int i) {
    const int squares[8] = {0, 1, 4, 9, 16, 25, 36, 49};
    return squares[i % 8];
}

__global__ void use(const float* x, float* out, int n) {
    float own[4];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 4; ++k) own[(k + i) % 4] = weight[k];
    if (i < 16) table[i] = i;
    if (i < n) out[i] = own[i % 4] * x[i] + lookup(i);
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    const float host[4] = {1, 2, 3, 4};
    cudaMemcpyToSymbol(weight, host, sizeof host);
    use<<<4, 256, 0, stream>>>(x, out, n);
}
