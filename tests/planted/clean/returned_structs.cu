// Structs that functions return are stored where they belong: by a function that is inlined, and by one that is not.
#include <cuda_runtime.h>

struct alignas(16) Four {
    float v[4];
};

__device__ Four load(const float* x) {
    Four four;
    for (int i = 0; i < 4; ++i) four.v[i] = x[i];
    return four;
}

__device__ __noinline__ Four twice(const float* x) {
    Four four = load(x);
    for (float& v : four.v) v *= 2;
    return four;
}

__global__ void reverse_groups(const float* x, float* out) {
    __shared__ Four once[64], doubled[64];
    int t = threadIdx.x;
    once[t] = load(x + 4 * t);
    doubled[t] = twice(x + 4 * t);
    __syncthreads();
    Four a = once[63 - t], b = doubled[63 - t];
    for (int i = 0; i < 4; ++i) out[4 * t + i] = a.v[i] + b.v[i];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    reverse_groups<<<1, 64, 0, stream>>>(x, out);
}
