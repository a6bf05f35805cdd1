// expect: divergent barrier
#include <cuda_runtime.h>

// Some threads take a barrier that the others do not; those wait at the next one.
__global__ void more(const float* x, float* out) {
    __shared__ float s[96];
    int t = threadIdx.x;
    s[t] = x[t];
    if (t < 10) {
        __syncthreads();  // here
        s[t] += 1;
    }
    __syncthreads();  // other
    out[t] = s[95 - t];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) { more<<<1, 96, 0, stream>>>(x, out); }
