// expect: misaligned access
#include <cuda_runtime.h>

// Every float is taken for the start of a double.
template <typename To, typename From>
__device__ void put(From* p, int i, To v) {
    *reinterpret_cast<To*>(p + i) = v;  // here
}

__global__ void fill(float* out) {
    int i = threadIdx.y * blockDim.x + threadIdx.x;
    put<double>(out, i, 1.0);
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    fill<<<1, dim3(10, 4), 0, stream>>>(out);
}
