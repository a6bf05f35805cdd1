// expect: shared store out of bounds
#include <cuda_runtime.h>

// Dynamic shared memory is asked for in elements; it is counted in bytes.
template <typename T>
__global__ void square(const T* x, T* out) {
    extern __shared__ unsigned char memory[];
    T* s = reinterpret_cast<T*>(memory);
    int t = threadIdx.x;
    s[t] = x[t];  // here
    __syncthreads();
    out[t] = s[t] * s[blockDim.x - 1 - t];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    square<float><<<1, 100, 100, stream>>>(x, out);
}
