// expect: write before the wait
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

// The edge is set to zero while the copy into it is still under way.
__global__ void clear_edge(const float* x, float* out) {
    __shared__ float s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], x + t, 4);  // other
    __pipeline_commit();
    if (t == 0) s[0] = 0;  // here
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = s[63 - t];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    clear_edge<<<1, 64, 0, stream>>>(x, out);
}
