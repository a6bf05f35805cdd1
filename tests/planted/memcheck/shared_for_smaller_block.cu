// expect: shared store out of bounds
#include <cuda_runtime.h>

// The array has 128 elements, the launch 256 threads.
constexpr int THREADS = 128;

__global__ void reverse(const float* x, float* out) {
    __shared__ float s[THREADS];
    int t = threadIdx.x;
    s[t] = x[t];  // here
    __syncthreads();
    out[t] = s[blockDim.x - 1 - t];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    reverse<<<1, 2 * THREADS, 0, stream>>>(x, out);
}
