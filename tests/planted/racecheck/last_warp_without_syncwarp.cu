// expect: read after write
#include <cuda_runtime.h>

// "The threads of a warp run together anyway": not since Volta.
__global__ void sum(const float* x, float* out) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = x[t];
    s[t + 32] = x[t + 32];
    __syncthreads();
    volatile float* v = s;
    for (int k = 32; k > 0; k /= 2) {
        float other = v[t + k];  // here
        if (t < k) v[t] = v[t] + other;  // other
    }
    out[t] = v[0];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) { sum<<<1, 32, 0, stream>>>(x, out); }
