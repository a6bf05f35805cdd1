// expect: unreachable barrier
#include <cuda_runtime.h>

// The whole body stands in the guard, the barrier too: 20 rows in blocks of 16.
__global__ void flip(const float* x, float* out, int rows, int columns) {
    __shared__ float tile[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int r = blockIdx.y * 16 + ty, c = blockIdx.x * 16 + tx;
    if (r < rows && c < columns) {
        tile[ty][tx] = x[r * columns + c];
        __syncthreads();  // here
        out[r * columns + c] = tile[ty][tx];
    }
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    flip<<<dim3(3, 2), dim3(16, 16), 0, stream>>>(x, out, 20, 48);
}
