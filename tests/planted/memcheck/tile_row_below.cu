// expect: shared load out of bounds
#include <cuda_runtime.h>

// The tile has 8 rows; the thread in the last one reads row 8.
__global__ void down(const double* x, double* out) {
    __shared__ double tile[8][17];
    int c = threadIdx.x, r = threadIdx.y;
    tile[r][c] = x[r * 16 + c];
    __syncthreads();
    out[r * 16 + c] = tile[r + 1][c];  // here
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    down<<<1, dim3(16, 8), 0, stream>>>(reinterpret_cast<const double*>(x), reinterpret_cast<double*>(out));
}
