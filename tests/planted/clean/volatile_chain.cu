// Each block waits for the one before it: a volatile flag, and fences.
#include <cuda_runtime.h>

__global__ void chain(const float* x, volatile float* sum, volatile int* flag) {
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        float before = 0;
        if (b > 0) {
            while (flag[b - 1] == 0) {
            }
            __threadfence();
            before = sum[b - 1];
        }
        sum[b] = before + x[b];
        __threadfence();
        flag[b] = 1;
    }
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    chain<<<8, 32, 0, stream>>>(x, out, ints);
}
