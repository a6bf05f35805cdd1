// Blelloch's scan, with dynamic shared memory and two elements a thread.
#include <cuda_runtime.h>

__global__ void scan(const float* x, float* out, int size) {
    extern __shared__ float s[];
    int t = threadIdx.x;
    s[2 * t] = x[2 * t];
    s[2 * t + 1] = x[2 * t + 1];
    int offset = 1;
    for (int d = size / 2; d > 0; d /= 2) {
        __syncthreads();
        if (t < d) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0) s[size - 1] = 0;
    for (int d = 1; d < size; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            float v = s[a];
            s[a] = s[b];
            s[b] += v;
        }
    }
    __syncthreads();
    out[2 * t] = s[2 * t];
    out[2 * t + 1] = s[2 * t + 1];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    scan<<<1, 64, 128 * sizeof(float), stream>>>(x, out, 128);
}
