// What the binding knows of the kernels: one launcher a version.
#pragma once
#include <cstdint>

#include <cuda_runtime.h>

// out[i] = a[i] + b[i] for 0 <= i < n, on `stream`. a, b, out: n elements each,
// device pointers; n > 0. T: float, double, __half, __nv_bfloat16. Returns the
// error of the launch.
template <typename T>
cudaError_t vector_add_v1(const T* a, const T* b, T* out, int64_t n,
                          cudaStream_t stream);
template <typename T>
cudaError_t vector_add_v2(const T* a, const T* b, T* out, int64_t n,
                          cudaStream_t stream);
template <typename T>
cudaError_t vector_add_v3(const T* a, const T* b, T* out, int64_t n,
                          cudaStream_t stream);
