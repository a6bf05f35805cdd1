// expect: divergent barrier
#include <cuda_runtime.h>

// Who leaves the loop early waits behind it, the others in it.
__global__ void loop(const float* x, float* out) {
    __shared__ float s[40];
    int t = threadIdx.x;
    for (int k = 0; k < 1 + t / 20; ++k) {
        s[t] = x[k + t];
        __syncthreads();  // here
    }
    s[t] += 1;
    __syncthreads();  // other
    out[t] = s[39 - t];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) { loop<<<1, 40, 0, stream>>>(x, out); }
