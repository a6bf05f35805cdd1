// The counter lives in cudaMalloc'd memory and is reset by a plain store of the last block.
#include <cuda_runtime.h>

__global__ void sum(const float* x, float* partial, int* counter, float* out) {
    __shared__ int before;
    if (threadIdx.x < 4) partial[4 * blockIdx.x + threadIdx.x] = x[4 * blockIdx.x + threadIdx.x];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) before = atomicAdd(counter, 1);
    __syncthreads();
    if (before == int(gridDim.x) - 1) {
        float v = partial[threadIdx.x];
        for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(0xffffffffu, v, k);
        if (threadIdx.x == 0) {
            *counter = 0;
            out[0] = v;
        }
    }
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    float* partial;
    int* counter;
    cudaMalloc(&partial, 32 * sizeof(float));
    cudaMalloc(&counter, sizeof(int));
    cudaMemset(counter, 0, sizeof(int));
    sum<<<8, 32, 0, stream>>>(x, partial, counter, out);
    cudaFree(counter);
    cudaFree(partial);
}
