// expect: uninitialised shared load
#include <cuda_runtime.h>

// Each tile is transposed in its place; 20 rows and 50 columns leave some tiles partly unloaded.
__global__ void transpose_tiles(const float* x, float* out, int rows, int columns) {
    __shared__ float tile[16][17];
    int tx = threadIdx.x, ty = threadIdx.y;
    int c = blockIdx.x * 16 + tx, r = blockIdx.y * 16 + ty;
    if (r < rows && c < columns) tile[ty][tx] = x[r * columns + c];
    __syncthreads();
    if (r < rows && c < columns) out[r * columns + c] = tile[tx][ty];  // here
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    transpose_tiles<<<dim3(4, 2), dim3(16, 16), 0, stream>>>(x, out, 20, 50);
}
