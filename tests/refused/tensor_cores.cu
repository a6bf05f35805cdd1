// Tensor cores by wmma.
#include <cuda_fp16.h>
#include <mma.h>  // here

__global__ void clear_kernel(float* x) {
    nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> sum;
    nvcuda::wmma::fill_fragment(sum, 0.0f);
    x[threadIdx.x] = sum.x[0];
}

extern "C" void run(float* x) { clear_kernel<<<1, 32>>>(x); }
