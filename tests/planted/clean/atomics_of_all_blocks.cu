// Minimum, maximum and sum by atomics of many blocks, beside plain stores of their own.
#include <cuda_runtime.h>

__global__ void extremes(const float* x, float* out, int* ints, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = int(x[i] * 1000);
    atomicMax(&ints[0], v);
    atomicMin(&ints[1], -v);
    atomicAdd(&ints[2], 1);
    ints[3 + i % 1000] = v;
    out[i] = x[i];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    extremes<<<16, 64, 0, stream>>>(x, out, ints, n);
}
