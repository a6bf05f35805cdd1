// expect: read after write
#include <cuda_runtime.h>

// Tiles are used before they are complete.
template <int TILE>
__global__ void matmul(const float* a, const float* b, float* c, int size) {
    __shared__ float sa[TILE][TILE], sb[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int k = 0; k < size; k += TILE) {
        sa[ty][tx] = a[row * size + k + tx];
        sb[ty][tx] = b[(k + ty) * size + column];  // other
        for (int j = 0; j < TILE; ++j) {
            float v = sb[j][tx];  // here
            sum += sa[ty][tx] * v;
        }
        __syncthreads();
    }
    c[row * size + column] = sum;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    matmul<8><<<dim3(4, 4), dim3(8, 8), 0, stream>>>(x, x, out, 32);
}
