// What CUDA's functions return once a kernel has gone wrong.
#include <cuda_runtime.h>

__global__ void wild_kernel(float* x) { x[1ll << 42] = 1; }
__global__ void good_kernel(float* x) { x[threadIdx.x] = 1; }

// [calls]
// codes: 5 numbers in host memory
extern "C" void go_wrong(float* x, int* codes, cudaStream_t stream) {
    wild_kernel<<<1, 1, 0, stream>>>(x);
    codes[0] = cudaStreamSynchronize(stream);
    codes[1] = cudaGetLastError();
    codes[2] = cudaGetLastError();
    good_kernel<<<1, 32, 0, stream>>>(x);
    codes[3] = cudaGetLastError();
    codes[4] = cudaMemcpy(x, x, 4, cudaMemcpyDefault);
}
// [/calls]
