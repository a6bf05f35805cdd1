// Tiles with two barriers a round; 31 x 31, so that all edges are partial.
#include <cuda_runtime.h>

template <int TILE>
__global__ void matmul(const float* a, const float* b, float* c, int size) {
    __shared__ float sa[TILE][TILE], sb[TILE][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int k = 0; k < size; k += TILE) {
        sa[ty][tx] = row < size && k + tx < size ? a[row * size + k + tx] : 0;
        sb[ty][tx] = k + ty < size && column < size ? b[(k + ty) * size + column] : 0;
        __syncthreads();
        for (int j = 0; j < TILE; ++j) sum += sa[ty][j] * sb[j][tx];
        __syncthreads();
    }
    if (row < size && column < size) c[row * size + column] = sum;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    matmul<8><<<dim3(4, 4), dim3(8, 8), 0, stream>>>(x, x, out, 31);
}
