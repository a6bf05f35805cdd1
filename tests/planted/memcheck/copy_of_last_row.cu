// expect: load out of bounds
#include "../../../csrc/ptx.cuh"

#include <cuda_runtime.h>

// x has 256 rows of 4, and one more is copied.
__global__ void sum(const float* x, float* out) {
    __shared__ __align__(16) float s[4 * 32];
    int t = threadIdx.x;
    float total = 0;
    for (int row = t; row < 257; row += 32) {
        cp_async<16>(s + 4 * t, x + 4 * row);  // here
        cp_async_commit();
        cp_async_wait<0>();
        total += s[4 * t] + s[4 * t + 3];
    }
    out[t] = total;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) { sum<<<1, 32, 0, stream>>>(x, out); }
