// What the bindings know of the kernels: one launcher a version.
#pragma once
#include <cstdint>
#include <type_traits>

#include <cuda_runtime.h>

// The type that is computed and summed in: double for double, else float.
template <typename T>
using Compute = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Everywhere: x, out, grad, dx: [rows, n]; weight, bias, dweight, dbias: [n];
// mean, rstd: [rows]; contiguous device pointers; rows, n > 0. T: float, double,
// __half, __nv_bfloat16. Returns the error of the launch.

// mean and var: of each row; rstd = 1 / sqrt(var + eps);
// out = (x - mean) * rstd * weight + bias
template <typename T>
cudaError_t layer_norm_v1(const T* x, const T* weight, const T* bias, T* out,
                          Compute<T>* mean, Compute<T>* rstd, int64_t rows,
                          int64_t n, double eps, cudaStream_t stream);
template <typename T>
cudaError_t layer_norm_v2(const T* x, const T* weight, const T* bias, T* out,
                          Compute<T>* mean, Compute<T>* rstd, int64_t rows,
                          int64_t n, double eps, cudaStream_t stream);
template <typename T>
cudaError_t layer_norm_v3(const T* x, const T* weight, const T* bias, T* out,
                          Compute<T>* mean, Compute<T>* rstd, int64_t rows,
                          int64_t n, double eps, cudaStream_t stream);

// With y = (x - mean) * rstd and g = grad * weight:
// dx = rstd * (g - the row's mean of g - y * the row's mean of g * y);
// dweight = the sum of grad * y over the rows; dbias = the sum of grad
template <typename T>
cudaError_t layer_norm_backward_v1(const T* grad, const T* x,
                                   const Compute<T>* mean, const Compute<T>* rstd,
                                   const T* weight, T* dx, T* dweight, T* dbias,
                                   int64_t rows, int64_t n, cudaStream_t stream);

// v2 needs memory for partial sums, [2, chunks, n]. How many chunks depends on the
// shape and on the number of SMs of the current device.
template <typename T>
cudaError_t layer_norm_chunks(int64_t rows, int64_t n, int64_t* chunks);
template <typename T>
cudaError_t layer_norm_backward_v2(const T* grad, const T* x,
                                   const Compute<T>* mean, const Compute<T>* rstd,
                                   const T* weight, T* dx, T* dweight, T* dbias,
                                   Compute<T>* partial, int64_t rows, int64_t n,
                                   cudaStream_t stream);
