// Launches cuda-samples' matrix product.
#define main their_main
#include "NVIDIA+cuda-samples/Samples/0_Introduction/matrixMul/matrixMul.cu"
#undef main

extern "C" void run(float* a, float* b, float* c, int m, int n, int k, int tile) {
    dim3 grid(n / tile, m / tile), threads(tile, tile);
    if (tile == 16) MatrixMulCUDA<16><<<grid, threads>>>(c, a, b, k, n);
    else MatrixMulCUDA<32><<<grid, threads>>>(c, a, b, k, n);
}
