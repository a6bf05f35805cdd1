// Launches that CUDA refuses, and what becomes of the error.
#include <cstdint>

#include <cuda_runtime.h>

// [fill]
// x: [n]
__global__ void fill_kernel(float* x, int64_t n, float value) {
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) x[i] = value;
}

extern "C" cudaError_t fill(float* x, int64_t n, int threads, cudaStream_t stream) {
    int64_t blocks = (n + threads - 1) / threads;
    fill_kernel<<<blocks, threads, 0, stream>>>(x, n, 1);
    return cudaPeekAtLastError();
}
// [/fill]

// [silent]
extern "C" void fill_silently(float* x, int64_t n, int threads,
                              cudaStream_t stream) {
    int64_t blocks = (n + threads - 1) / threads;
    fill_kernel<<<blocks, threads, 0, stream>>>(x, n, 1);
    cudaGetLastError();  // asks, forgets the answer, and so clears it
}
// [/silent]

// [late]
extern "C" void fill_late(float* x, int64_t n, int threads, cudaStream_t stream) {
    fill_kernel<<<1, threads, 0, stream>>>(x, n, 1);  // nobody asks here
    fill_kernel<<<1, 32, 0, stream>>>(x, n < 32 ? n : 32, 2);  // a good launch
}
// [/late]

// [grid]
__global__ void nothing_kernel() {}

extern "C" void nothing(int grid_x, int grid_y, int grid_z, int threads,
                        cudaStream_t stream) {
    nothing_kernel<<<dim3(grid_x, grid_y, grid_z), threads, 0, stream>>>();
}
// [/grid]
