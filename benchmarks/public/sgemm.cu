// Launches the kernels of siboehm/SGEMM_CUDA, with the tile sizes that its runner.cu has for small matrices or for all.
#include "siboehm+SGEMM_CUDA/src/kernels/10_kernel_warptiling.cuh"
#include "siboehm+SGEMM_CUDA/src/kernels/11_kernel_double_buffering.cuh"
#include "siboehm+SGEMM_CUDA/src/kernels/1_naive.cuh"
#include "siboehm+SGEMM_CUDA/src/kernels/2_kernel_global_mem_coalesce.cuh"
#include "siboehm+SGEMM_CUDA/src/kernels/3_kernel_shared_mem_blocking.cuh"
#include "siboehm+SGEMM_CUDA/src/kernels/4_kernel_1D_blocktiling.cuh"
#include "siboehm+SGEMM_CUDA/src/kernels/5_kernel_2D_blocktiling.cuh"
#include "siboehm+SGEMM_CUDA/src/kernels/6_kernel_vectorize.cuh"
#include "siboehm+SGEMM_CUDA/src/kernels/7_kernel_resolve_bank_conflicts.cuh"
#include "siboehm+SGEMM_CUDA/src/kernels/8_kernel_bank_extra_col.cuh"
#include "siboehm+SGEMM_CUDA/src/kernels/9_kernel_autotuned.cuh"

extern "C" void naive(float* a, float* b, float* c, int m, int n, int k, float alpha, float beta) {
    sgemm_naive<<<dim3(CEIL_DIV(m, 32), CEIL_DIV(n, 32)), dim3(32, 32)>>>(m, n, k, alpha, a, b, beta, c);
}
extern "C" void coalesced(float* a, float* b, float* c, int m, int n, int k, float alpha, float beta) {
    sgemm_global_mem_coalesce<32><<<dim3(CEIL_DIV(m, 32), CEIL_DIV(n, 32)), 1024>>>(m, n, k, alpha, a, b, beta, c);
}
extern "C" void shared_blocks(float* a, float* b, float* c, int m, int n, int k, float alpha, float beta) {
    sgemm_shared_mem_block<32><<<dim3(CEIL_DIV(m, 32), CEIL_DIV(n, 32)), 1024>>>(m, n, k, alpha, a, b, beta, c);
}
extern "C" void tiles_1d(float* a, float* b, float* c, int m, int n, int k, float alpha, float beta) {
    sgemm1DBlocktiling<64, 64, 8, 8><<<dim3(CEIL_DIV(n, 64), CEIL_DIV(m, 64)), 512>>>(m, n, k, alpha, a, b, beta, c);
}
extern "C" void tiles_2d(float* a, float* b, float* c, int m, int n, int k, float alpha, float beta) {
    dim3 grid(CEIL_DIV(n, 64), CEIL_DIV(m, 64));
    sgemm2DBlocktiling<64, 64, 8, 8, 8><<<grid, 64>>>(m, n, k, alpha, a, b, beta, c);
}
extern "C" void vectorized(float* a, float* b, float* c, int m, int n, int k, float alpha, float beta) {
    dim3 grid(CEIL_DIV(n, 128), CEIL_DIV(m, 128));
    sgemmVectorize<128, 128, 8, 8, 8><<<grid, 256>>>(m, n, k, alpha, a, b, beta, c);
}
extern "C" void no_conflicts(float* a, float* b, float* c, int m, int n, int k, float alpha, float beta) {
    dim3 grid(CEIL_DIV(n, 128), CEIL_DIV(m, 128));
    sgemmResolveBankConflicts<128, 128, 8, 8, 8><<<grid, 256>>>(m, n, k, alpha, a, b, beta, c);
}
extern "C" void extra_column(float* a, float* b, float* c, int m, int n, int k, float alpha, float beta) {
    dim3 grid(CEIL_DIV(n, 128), CEIL_DIV(m, 128));
    sgemmResolveBankExtraCol<128, 128, 8, 8, 8><<<grid, 256>>>(m, n, k, alpha, a, b, beta, c);
}
extern "C" void autotuned(float* a, float* b, float* c, int m, int n, int k, float alpha, float beta) {
    dim3 grid(CEIL_DIV(n, 128), CEIL_DIV(m, 128));
    sgemmAutotuned<128, 128, 16, 8, 8><<<grid, K9_NUM_THREADS>>>(m, n, k, alpha, a, b, beta, c);
}
extern "C" void warp_tiles(float* a, float* b, float* c, int m, int n, int k, float alpha, float beta) {
    dim3 grid(CEIL_DIV(n, 128), CEIL_DIV(m, 128));
    sgemmWarptiling<128, 128, 16, 64, 64, 4, 8, 4, 128><<<grid, 128>>>(m, n, k, alpha, a, b, beta, c);
}
extern "C" void double_buffered(float* a, float* b, float* c, int m, int n, int k, float alpha, float beta) {
    dim3 grid(CEIL_DIV(n, 256), CEIL_DIV(m, 128));
    sgemmDoubleBuffering<128, 256, 16, 128, 32, 1, 8, 8, 256><<<grid, 256>>>(m, n, k, alpha, a, b, beta, c);
}

// As runner.cu launches it where a side is below 128: 64 threads for tiles of 512 elements.
extern "C" void vectorized_small(float* a, float* b, float* c, int m, int n, int k, float alpha, float beta) {
    dim3 grid(CEIL_DIV(n, 64), CEIL_DIV(m, 64));
    sgemmVectorize<64, 64, 8, 8, 8><<<grid, 64>>>(m, n, k, alpha, a, b, beta, c);
}
