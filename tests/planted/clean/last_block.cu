// The last block adds up the partial sums of all, and resets the ticket for the next launch.
#include <cuda_runtime.h>

__device__ unsigned ticket = 0;

__global__ void sum(const float* x, float* partial, float* out, int n) {
    __shared__ float s[128];
    __shared__ bool last;
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int k = 64; k > 0; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        last = atomicInc(&ticket, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        if (t < int(gridDim.x)) s[t] = partial[t];
        __syncthreads();
        if (t == 0) {
            float total = 0;
            for (int b = 0; b < int(gridDim.x); ++b) total += s[b];
            out[0] = total;
            ticket = 0;
        }
    }
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    float* partial;
    cudaMalloc(&partial, 8 * sizeof(float));
    sum<<<8, 128, 0, stream>>>(x, partial, out, n);
    sum<<<8, 128, 0, stream>>>(x, partial, out + 1, n);
    cudaFree(partial);
}
