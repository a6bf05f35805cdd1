// expect: array index out of bounds
#include <cuda_runtime.h>

// A register tile of 2 rows and 4 columns, indexed the other way round.
__global__ void __launch_bounds__(64) tile(const float* x, float* out) {
    float sum[2][4] = {};
    int t = threadIdx.x;
    for (int c = 0; c < 4; ++c)
        for (int r = 0; r < 2; ++r) sum[c][r] += x[t * 8 + c * 2 + r];  // here
    out[t] = sum[0][0] + sum[1][1];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    tile<<<1, 64, 0, stream>>>(x, out);
}
