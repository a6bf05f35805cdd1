// Tensor cores of double, by wmma.
#include <cuda_runtime.h>
#include <mma.h>

__global__ void clear_kernel(float* x) {
    nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 8, 8, 4, double> sum;  // here
    nvcuda::wmma::fill_fragment(sum, 0.0);
    x[threadIdx.x] = float(sum.x[0]);
}

extern "C" void run(float* x) { clear_kernel<<<1, 32>>>(x); }
