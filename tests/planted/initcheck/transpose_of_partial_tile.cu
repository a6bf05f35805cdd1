// expect: uninitialised shared load
#include <cuda_runtime.h>

// The guard of the store is that of the load, not the transposed one: 20 rows, 50 columns.
__global__ void transpose(const float* x, float* out, int rows, int columns) {
    __shared__ float tile[16][17];
    int tx = threadIdx.x, ty = threadIdx.y;
    int c = blockIdx.x * 16 + tx, r = blockIdx.y * 16 + ty;
    if (r < rows && c < columns) tile[ty][tx] = x[r * columns + c];
    __syncthreads();
    float v = tile[tx][ty];  // here
    c = blockIdx.x * 16 + ty, r = blockIdx.y * 16 + tx;
    if (r < rows && c < columns) out[c * rows + r] = v;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    transpose<<<dim3(4, 2), dim3(16, 16), 0, stream>>>(x, out, 20, 50);
}
