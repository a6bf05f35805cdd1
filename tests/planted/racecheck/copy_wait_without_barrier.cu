// expect: read after write
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

// Each thread waits for its own copy only: the neighbour's needs a barrier too.
__global__ void shift(const float* x, float* out) {
    __shared__ float s[128];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], x + t, 4);  // other
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[t] = s[(t + 1) % 128];  // here
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    shift<<<1, 128, 0, stream>>>(x, out);
}
