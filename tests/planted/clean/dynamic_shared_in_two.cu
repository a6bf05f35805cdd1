// Two arrays of different types in one piece of dynamic shared memory.
#include <cuda_runtime.h>

__global__ void sorted_pairs(const float* x, float* out, int* ints) {
    extern __shared__ double memory[];
    double* value = memory;
    int* place = reinterpret_cast<int*>(value + blockDim.x);
    int t = threadIdx.x;
    value[t] = x[t];
    place[blockDim.x - 1 - t] = t;
    __syncthreads();
    ints[t] = place[t];
    out[t] = float(value[place[t]]);
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    sorted_pairs<<<1, 80, 80 * (sizeof(double) + sizeof(int)), stream>>>(x, out, ints);
}
