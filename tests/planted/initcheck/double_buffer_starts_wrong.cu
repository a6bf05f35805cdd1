// expect: uninitialised shared load
#include <cuda_runtime.h>

// The first round reads the buffer that the first load did not fill.
template <int WIDTH>
__global__ void rounds(const float* x, float* out) {
    __shared__ float buffer[2][WIDTH];
    int t = threadIdx.x, current = 0;
    buffer[current][t] = x[t];
    __syncthreads();
    float sum = 0;
    for (int k = 1; k < 4; ++k) {
        sum += buffer[1 - current][WIDTH - 1 - t];  // here
        __syncthreads();
        buffer[1 - current][t] = x[k * WIDTH + t];
        __syncthreads();
        current = 1 - current;
    }
    out[t] = sum;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    rounds<128><<<1, 128, 0, stream>>>(x, out);
}
