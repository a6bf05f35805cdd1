// What the bindings know of the kernels: one launcher a version.
#pragma once
#include <cstdint>
#include <type_traits>

#include <cuda_runtime.h>

// The type that is computed and summed in: double for double, else float.
template <typename T>
using Compute = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Everywhere: x, residual, out, grad, dx: [rows, n]; bias, dbias: [n]; contiguous
// device pointers; rows, n > 0. `tanh` chooses the approximation of gelu by tanh.
// T: float, double, __half, __nv_bfloat16. Returns the error of the launch.

// out = gelu(x + bias) + residual
template <typename T>
cudaError_t bias_gelu_residual_v1(const T* x, const T* bias, const T* residual,
                                  T* out, int64_t rows, int64_t n, bool tanh,
                                  cudaStream_t stream);
template <typename T>
cudaError_t bias_gelu_residual_v2(const T* x, const T* bias, const T* residual,
                                  T* out, int64_t rows, int64_t n, bool tanh,
                                  cudaStream_t stream);

// dx = grad * gelu'(x + bias); dbias = the sum of dx over the rows
template <typename T>
cudaError_t bias_gelu_residual_backward_v1(const T* grad, const T* x, const T* bias,
                                           T* dx, T* dbias, int64_t rows, int64_t n,
                                           bool tanh, cudaStream_t stream);
template <typename T>
cudaError_t bias_gelu_residual_backward_v2(const T* grad, const T* x, const T* bias,
                                           T* dx, T* dbias, int64_t rows, int64_t n,
                                           bool tanh, cudaStream_t stream);

// v3 needs memory for partial sums, [chunks, n]. How many chunks depends on the
// shape and on the number of SMs of the current device.
template <typename T>
cudaError_t bias_gelu_residual_chunks(int64_t rows, int64_t n, int64_t* chunks);
template <typename T>
cudaError_t bias_gelu_residual_backward_v3(const T* grad, const T* x, const T* bias,
                                           T* dx, T* dbias, Compute<T>* partial,
                                           int64_t rows, int64_t n, bool tanh,
                                           cudaStream_t stream);

// The second pass of v1, which v2 keeps: dbias alone, one thread a column.
template <typename T>
cudaError_t bias_gelu_residual_dbias_v1(const T* grad, const T* x, const T* bias,
                                        T* dbias, int64_t rows, int64_t n,
                                        bool tanh, cudaStream_t stream);
