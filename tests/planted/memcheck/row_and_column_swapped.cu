// expect: store out of bounds
#include <cuda_runtime.h>

// A 20 x 50 matrix is written with the stride of a column as that of a row.
__global__ void twice(const float* x, float* out, int rows, int columns) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < columns) {
        float v = x[r * columns + c];
        out[c * columns + r] = 2 * v;  // here
    }
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    twice<<<dim3(4, 2), dim3(16, 16), 0, stream>>>(x, out, 20, 50);
}
