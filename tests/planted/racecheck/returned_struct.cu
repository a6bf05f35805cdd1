// expect: read after write
#include <cuda_runtime.h>

struct alignas(16) Four {
    float v[4];
};

__device__ Four load(const float* x) {
    Four four;
    for (int i = 0; i < 4; ++i) four.v[i] = x[i];
    return four;
}

// No barrier between the store of what a function returns and the load of it.
__global__ void reverse_groups(const float* x, float* out) {
    __shared__ Four groups[64];
    int t = threadIdx.x;
    groups[t] = load(x + 4 * t);  // other
    float sum = 0;
    for (int i = 0; i < 4; ++i) sum += groups[63 - t].v[i];  // here
    out[t] = sum;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    reverse_groups<<<1, 64, 0, stream>>>(x, out);
}
