// expect: load out of bounds
#include <cuda_runtime.h>

// The inner dimension of a 32 x 32 product runs one too far.
__global__ void matmul(const float* a, const float* b, float* c, int size) {
    int row = threadIdx.y + blockIdx.y * blockDim.y;
    int column = threadIdx.x + blockIdx.x * blockDim.x;
    float sum = 0;
    for (int k = 0; k <= size; ++k) {
        float v = b[k * size + column];  // here
        sum += a[row * size] * v;
    }
    c[row * size + column] = sum;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    matmul<<<dim3(4, 8), dim3(8, 4), 0, stream>>>(x, x, out, 32);
}
