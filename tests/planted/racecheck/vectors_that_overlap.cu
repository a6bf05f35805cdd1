// expect: write after write
#include <cuda_runtime.h>

// One warp writes whole float2, the other the second float of each.
__global__ void fill(float* out) {
    int t = threadIdx.x;
    if (t < 32) {
        reinterpret_cast<float2*>(out)[t] = make_float2(t, t);  // other
    } else {
        out[2 * (t - 32) + 1] = -1;  // here
    }
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) { fill<<<1, 64, 0, stream>>>(out); }
