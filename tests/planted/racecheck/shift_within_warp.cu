// expect: write after read
#include <cuda_runtime.h>

// Each lane takes its right neighbour's value and at once writes its own place.
__global__ void shift(const float* x, float* out) {
    __shared__ float s[33];
    int t = threadIdx.x;
    s[t] = x[t];
    if (t == 0) s[32] = 0;
    __syncwarp();
    float right = s[t + 1];  // other
    s[t] = right;  // here
    __syncwarp();
    out[t] = s[31 - t];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    shift<<<1, 32, 0, stream>>>(x, out);
}
