// silu(a) * b and its backward: the launchers of lab 02. All arrays have n
// elements.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

extern "C" {
void silu_mul_float(const float* a, const float* b, float* out, int64_t n,
                    cudaStream_t stream);
void silu_mul_double(const double* a, const double* b, double* out, int64_t n,
                     cudaStream_t stream);
void silu_mul_backward_float(const float* grad, const float* a, const float* b,
                             float* da, float* db, int64_t n, cudaStream_t stream);
void silu_mul_backward_double(const double* grad, const double* a, const double* b,
                              double* da, double* db, int64_t n,
                              cudaStream_t stream);
}
