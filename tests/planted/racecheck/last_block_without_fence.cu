// expect: read after write
#include <cuda_runtime.h>

// The last block sums up, but nobody's partial sum is certain to be there: __threadfence() is missing.
__global__ void sum(const float* x, float* partial, int* ticket, float* out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = x[blockIdx.x];  // other
        last = atomicAdd(ticket, 1) == int(gridDim.x) - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float total = 0;
        for (int b = 0; b < int(gridDim.x); ++b) total += partial[b];  // here
        out[512] = total;
    }
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    sum<<<8, 64, 0, stream>>>(x, out, ints, out);
}
