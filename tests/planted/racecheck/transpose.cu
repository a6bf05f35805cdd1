// expect: read after write
#include <cuda_runtime.h>

// A transpose without the barrier.
__global__ void transpose(const float* x, float* out) {
    __shared__ float tile[16][17];
    int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = x[r * 32 + c];  // other
    float v = tile[threadIdx.x][threadIdx.y];  // here
    out[(blockIdx.x * 16 + threadIdx.y) * 32 + blockIdx.y * 16 + threadIdx.x] = v;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    transpose<<<dim3(2, 2), dim3(16, 16), 0, stream>>>(x, out);
}
