// The maximum of floats by atomicCAS, which begins with a plain load.
#include <cuda_runtime.h>

__device__ void maximum(float* p, float v) {
    int* word = reinterpret_cast<int*>(p);
    int old = *word;
    while (__int_as_float(old) < v) {
        int assumed = old;
        old = atomicCAS(word, assumed, __float_as_int(v));
        if (old == assumed) break;
    }
}

__global__ void largest(const float* x, float* out, int n) {
    __shared__ float s;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) s = -1;
    __syncthreads();
    int* word = reinterpret_cast<int*>(&s);
    int old = *word, assumed;
    do {
        assumed = old;
        old = atomicCAS(word, assumed, __float_as_int(fmaxf(__int_as_float(assumed), i < n ? x[i] : 0)));
    } while (old != assumed);
    __syncthreads();
    if (threadIdx.x == 0) maximum(out, s);
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    cudaMemset(out, 0, sizeof(float));
    largest<<<8, 128, 0, stream>>>(x, out, n);
}
