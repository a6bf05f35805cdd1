// expect: store out of bounds
#include <cuda_runtime.h>

// 1024 floats hold 512 doubles.
template <typename T>
__global__ void fill(T* out, int n) {
    int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = T(1);  // here
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    fill<<<dim3(2, 4), 128, 0, stream>>>(reinterpret_cast<double*>(out), n);
}
