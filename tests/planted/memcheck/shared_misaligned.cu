// expect: misaligned access
#include <cuda_runtime.h>

// The second array starts behind five floats: no place for float2.
__global__ void split(const float* x, float* out) {
    extern __shared__ float first[];
    float2* second = reinterpret_cast<float2*>(first + 5);
    second[threadIdx.x] = make_float2(x[threadIdx.x], 1.0f);  // here
    __syncthreads();
    out[threadIdx.x] = second[threadIdx.x].x;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    split<<<1, 40, 5 * sizeof(float) + 40 * sizeof(float2), stream>>>(x, out);
}
