// Kernels whose requests, sectors and wavefronts Nsight Compute counted on an H200: tests/test_profile.py has the
// counts.
#include <cuda_runtime.h>

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

__global__ void strided_kernel(const float* a, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[8 * i % n];
}

__global__ void misaligned_kernel(const float* a, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i + 1];
}

__global__ void float4_kernel(const float4* a, float4* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i];
}

template <int WIDTH>
__global__ void transpose_kernel(const float* a, float* c, int n) {
    __shared__ float tile[32][WIDTH];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = a[y * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    c[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

template <bool X_IS_COLUMN>
__global__ void matmul_kernel(const float* A, const float* B, float* C, int n) {
    int along_x = blockIdx.x * blockDim.x + threadIdx.x, along_y = blockIdx.y * blockDim.y + threadIdx.y;
    int row = X_IS_COLUMN ? along_y : along_x, col = X_IS_COLUMN ? along_x : along_y;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
}

__global__ void tiled_kernel(const float* A, const float* B, float* C, int n) {
    __shared__ float sA[32][32], sB[32][32];
    int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += 32) {
        sA[threadIdx.y][threadIdx.x] = A[row * n + k + threadIdx.x];
        sB[threadIdx.y][threadIdx.x] = B[(k + threadIdx.y) * n + col];
        __syncthreads();
        for (int i = 0; i < 32; ++i) sum += sA[threadIdx.y][i] * sB[i][threadIdx.x];
        __syncthreads();
    }
    C[row * n + col] = sum;
}

// `a` and `b` are the inputs, `c` the output; each launch as the counts were read.
extern "C" void add(const float* a, const float* b, float* c, cudaStream_t s) {
    add_kernel<<<64, 256, 0, s>>>(a, b, c, 16384);
}
extern "C" void strided(const float* a, const float* b, float* c, cudaStream_t s) {
    strided_kernel<<<64, 256, 0, s>>>(a, c, 16384);
}
extern "C" void misaligned(const float* a, const float* b, float* c, cudaStream_t s) {
    misaligned_kernel<<<64, 256, 0, s>>>(a, c, 16320);
}
extern "C" void float4_copy(const float* a, const float* b, float* c, cudaStream_t s) {
    float4_kernel<<<16, 256, 0, s>>>(reinterpret_cast<const float4*>(a), reinterpret_cast<float4*>(c), 4096);
}
extern "C" void transpose(const float* a, const float* b, float* c, cudaStream_t s) {
    transpose_kernel<32><<<dim3(4, 4), dim3(32, 32), 0, s>>>(a, c, 128);
}
extern "C" void transpose_padded(const float* a, const float* b, float* c, cudaStream_t s) {
    transpose_kernel<33><<<dim3(4, 4), dim3(32, 32), 0, s>>>(a, c, 128);
}
extern "C" void matmul_by_column(const float* a, const float* b, float* c, cudaStream_t s) {
    matmul_kernel<true><<<dim3(4, 4), dim3(32, 32), 0, s>>>(a, b, c, 128);
}
extern "C" void matmul_by_row(const float* a, const float* b, float* c, cudaStream_t s) {
    matmul_kernel<false><<<dim3(4, 4), dim3(32, 32), 0, s>>>(a, b, c, 128);
}
extern "C" void matmul_tiled(const float* a, const float* b, float* c, cudaStream_t s) {
    tiled_kernel<<<dim3(4, 4), dim3(32, 32), 0, s>>>(a, b, c, 128);
}
