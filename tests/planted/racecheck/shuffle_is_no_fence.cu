// expect: read after write
#include <cuda_runtime.h>

// A shuffle exchanges registers; it does not order shared memory.
__global__ void exchange(const float* x, float* out) {
    __shared__ float s[32];
    int lane = threadIdx.x;
    s[lane] = x[lane];  // other
    int from = __shfl_xor_sync(0xffffffffu, lane, 1);
    float v = s[from];  // here
    out[lane] = v;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    exchange<<<1, 32, 0, stream>>>(x, out);
}
