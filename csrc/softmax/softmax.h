// What the bindings know of the kernels: one launcher a version.
#pragma once
#include <cstdint>
#include <type_traits>

#include <cuda_runtime.h>

// The type that is computed and summed in: double for double, else float.
template <typename T>
using Compute = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Everywhere: x, out, grad, dx: [rows, n], contiguous device pointers; rows, n > 0.
// T: float, double, __half, __nv_bfloat16. Returns the error of the launch.

// out = exp(x) / the sum of exp(x) over the row
template <typename T>
cudaError_t softmax_v1(const T* x, T* out, int64_t rows, int64_t n,
                       cudaStream_t stream);
template <typename T>
cudaError_t softmax_v2(const T* x, T* out, int64_t rows, int64_t n,
                       cudaStream_t stream);
template <typename T>
cudaError_t softmax_v3(const T* x, T* out, int64_t rows, int64_t n,
                       cudaStream_t stream);
template <typename T>
cudaError_t softmax_v4(const T* x, T* out, int64_t rows, int64_t n,
                       cudaStream_t stream);

// dx = out * (grad - the sum of grad * out over the row)
template <typename T>
cudaError_t softmax_backward_v1(const T* grad, const T* out, T* dx, int64_t rows,
                                int64_t n, cudaStream_t stream);
