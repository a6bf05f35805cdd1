// expect: uninitialised shared load
#include <cuda_runtime.h>

// The thread that fills the struct forgets a member.
struct Range {
    int begin, end, step;
};

__global__ void walk(const float* x, float* out, int n) {
    __shared__ Range range;
    if (threadIdx.x == 0) {
        range.begin = blockIdx.x * 100;
        range.end = range.begin + 100;
    }
    __syncthreads();
    int step = range.step;  // here
    int i = range.begin + threadIdx.x;
    if (i < range.end && i < n) out[i] = x[i] + step;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    walk<<<10, 100, 0, stream>>>(x, out, n);
}
