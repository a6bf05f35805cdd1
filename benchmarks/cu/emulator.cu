// What benchmarks/emulator.py times: two kernels, and the same work as plain serial loops.
#include <cuda_runtime.h>

__global__ void add_kernel(const float* a, const float* b, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

extern "C" void add(const float* a, const float* b, float* out, int n, cudaStream_t stream) {
    add_kernel<<<(n + 255) / 256, 256, 0, stream>>>(a, b, out, n);
}

extern "C" void add_serial(const float* a, const float* b, float* out, int n) {
    for (int i = 0; i < n; ++i) out[i] = a[i] + b[i];
}

// C = A B, all n x n, n a multiple of 16.
constexpr int TILE = 16;

__global__ void matmul_kernel(const float* A, const float* B, float* C, int n) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k += TILE) {
        tile_a[threadIdx.y][threadIdx.x] = A[row * n + k + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = B[(k + threadIdx.y) * n + col];
        __syncthreads();
        for (int i = 0; i < TILE; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        __syncthreads();
    }
    C[row * n + col] = sum;
}

extern "C" void matmul(const float* A, const float* B, float* C, int n, cudaStream_t stream) {
    matmul_kernel<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE), 0, stream>>>(A, B, C, n);
}

extern "C" void matmul_serial(const float* A, const float* B, float* C, int n) {
    for (int row = 0; row < n; ++row) {
        for (int col = 0; col < n; ++col) {
            float sum = 0.0f;
            for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + col];
            C[row * n + col] = sum;
        }
    }
}
