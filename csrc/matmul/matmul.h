// What the bindings know of the kernels: one launcher a version.
#pragma once
#include <cstdint>
#include <type_traits>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// The type that products are added up in: double for double, else float.
template <typename T>
using Compute = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Everywhere: c = a * b. a: [m, k], b: [k, n], c: [m, n]; contiguous device
// pointers; m, n, k > 0. Returns the error of the launch.

// T: float, double, __half, __nv_bfloat16
template <typename T>
cudaError_t matmul_v1(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k,
                      cudaStream_t stream);
template <typename T>
cudaError_t matmul_v2(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k,
                      cudaStream_t stream);
template <typename T>
cudaError_t matmul_v3(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k,
                      cudaStream_t stream);
template <typename T>
cudaError_t matmul_v4(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k,
                      cudaStream_t stream);
template <typename T>
cudaError_t matmul_v5(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k,
                      cudaStream_t stream);

cudaError_t matmul_v6(const float* a, const float* b, float* c, int64_t m,
                      int64_t n, int64_t k, cudaStream_t stream);
cudaError_t matmul_v7(const float* a, const float* b, float* c, int64_t m,
                      int64_t n, int64_t k, cudaStream_t stream);
cudaError_t matmul_v8(const float* a, const float* b, float* c, int64_t m,
                      int64_t n, int64_t k, cudaStream_t stream);
cudaError_t matmul_v9(const float* a, const float* b, float* c, int64_t m,
                      int64_t n, int64_t k, cudaStream_t stream);

// T: __half, __nv_bfloat16
template <typename T>
cudaError_t matmul_v10(const T* a, const T* b, T* c, int64_t m, int64_t n,
                       int64_t k, cudaStream_t stream);
template <typename T>
cudaError_t matmul_v11(const T* a, const T* b, T* c, int64_t m, int64_t n,
                       int64_t k, cudaStream_t stream);
