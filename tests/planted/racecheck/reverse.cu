// expect: read after write
#include <cuda_runtime.h>

// No barrier between the store and the load of another thread's element.
__global__ void reverse(const float* x, float* out) {
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = x[t];  // other
    float v = s[127 - t];  // here
    out[t] = v;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    reverse<<<1, 128, 0, stream>>>(x, out);
}
