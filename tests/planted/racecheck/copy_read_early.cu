// expect: read before the wait
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

// The wait leaves one group open: the one that is read.
__global__ void sum(const float* x, float* out) {
    __shared__ float s[2][64];
    int t = threadIdx.x;
    float total = 0;
    for (int k = 0; k < 4; ++k) {
        __pipeline_memcpy_async(&s[k % 2][t], x + 64 * k + t, 4);  // other
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        total += s[k % 2][63 - t];  // here
        __syncthreads();
    }
    out[t] = total;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    sum<<<2, 64, 0, stream>>>(x, out);
}
