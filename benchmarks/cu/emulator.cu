// What benchmarks/emulator.py times: three kernels, and the work of two as plain serial loops.
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

// out[row] = softmax(in[row]), a block a row: its maximum, then the sum of exponentials, then the division.
template <typename Op>
__device__ float reduce_block(float v, float* scratch, Op op) {
    for (int offset = 16; offset > 0; offset /= 2) v = op(v, __shfl_xor_sync(0xffffffffu, v, offset));
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = v;
    __syncthreads();
    v = scratch[0];
    for (int warp = 1; warp < blockDim.x / 32; ++warp) v = op(v, scratch[warp]);
    __syncthreads();
    return v;
}

__global__ void softmax_kernel(const float* in, float* out, int width) {
    __shared__ float scratch[32];
    const float* row = in + blockIdx.x * width;
    float most = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < width; i += blockDim.x) most = fmaxf(most, row[i]);
    most = reduce_block(most, scratch, [](float a, float b) { return fmaxf(a, b); });
    for (int i = threadIdx.x; i < width; i += blockDim.x) sum += expf(row[i] - most);
    sum = reduce_block(sum, scratch, [](float a, float b) { return a + b; });
    for (int i = threadIdx.x; i < width; i += blockDim.x) out[blockIdx.x * width + i] = expf(row[i] - most) / sum;
}

extern "C" void softmax(const float* in, float* out, int rows, int width, cudaStream_t stream) {
    softmax_kernel<<<rows, 256, 0, stream>>>(in, out, width);
}
