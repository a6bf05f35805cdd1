// What the binding knows of the kernels: one launcher a version.
#pragma once
#include <cstdint>

#include <cuda_runtime.h>

// out[column][row] = a[row][column], on `stream`. a: [rows, n]; out: [n, rows];
// contiguous device pointers; rows, n > 0. Only bits move, so T is an unsigned
// integer of the size of an element: uint16_t, uint32_t or uint64_t. Returns the
// error of the launch.
template <typename T>
cudaError_t transpose_v1(const T* a, T* out, int64_t rows, int64_t n,
                         cudaStream_t stream);
template <typename T>
cudaError_t transpose_v2(const T* a, T* out, int64_t rows, int64_t n,
                         cudaStream_t stream);
template <typename T>
cudaError_t transpose_v3(const T* a, T* out, int64_t rows, int64_t n,
                         cudaStream_t stream);
template <typename T>
cudaError_t transpose_v4(const T* a, T* out, int64_t rows, int64_t n,
                         cudaStream_t stream);
template <typename T>
cudaError_t transpose_v5(const T* a, T* out, int64_t rows, int64_t n,
                         cudaStream_t stream);
