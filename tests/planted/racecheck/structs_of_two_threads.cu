// expect: write after write
#include <cuda_runtime.h>

// Two threads write different structs of three floats into one place.
struct Vertex {
    float x, y, z;
};

__global__ void build(const float* x, float* out) {
    __shared__ Vertex s[24];
    int t = threadIdx.x;
    Vertex v{x[t], x[t + 1], x[t + 2]};
    s[t % 24] = v;  // here
    __syncthreads();
    if (t < 24) out[t] = s[t].x + s[t].y + s[t].z;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    build<<<1, 48, 0, stream>>>(x, out);
}
