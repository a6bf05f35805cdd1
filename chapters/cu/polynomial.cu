// Polynomials whose coefficients lie in constant memory: work a byte, occupancy,
// and how constant memory is read.
#include <cuda_runtime.h>

// [kernel]
__constant__ float coefficient[64];

// out[i] = the polynomial of that degree at x[i], by Horner's rule
__global__ void polynomial_kernel(const float* x, float* out, int n, int degree) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float at = x[i], sum = coefficient[degree];
    for (int k = degree - 1; k >= 0; --k) sum = sum * at + coefficient[k];
    out[i] = sum;
}
// [/kernel]

// [lookup]
// out[i] = the coefficient that belongs to i
__global__ void lookup_kernel(float* out, int apart) {
    out[threadIdx.x] = coefficient[threadIdx.x * apart % 64];
}
// [/lookup]

extern "C" void polynomial(const float* x, float* out, int n, int degree,
                           int threads, int shared_bytes, cudaStream_t stream) {
    cudaFuncSetAttribute(polynomial_kernel,
                         cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
    polynomial_kernel<<<(n + threads - 1) / threads, threads, shared_bytes,
                        stream>>>(x, out, n, degree);
}

extern "C" void lookup(float* out, int apart, cudaStream_t stream) {
    lookup_kernel<<<1, 32, 0, stream>>>(out, apart);
}
