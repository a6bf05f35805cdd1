// What the binding knows of the kernels: one launcher a version.
#pragma once
#include <cstdint>
#include <type_traits>

#include <cuda_runtime.h>

// The type that is summed in: double for double, else float.
template <typename T>
using Compute = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Everywhere: a: [n], contiguous device pointer, n > 0. T: float, double, __half,
// __nv_bfloat16. Returns the error of the launch.

// *sum = the sum of a, before it is rounded to T. Atomics add in an order that
// differs from run to run, and with it the last digits.
template <typename T>
cudaError_t reduce_v1(const T* a, Compute<T>* sum, int64_t n, cudaStream_t stream);
template <typename T>
cudaError_t reduce_v2(const T* a, Compute<T>* sum, int64_t n, cudaStream_t stream);
template <typename T>
cudaError_t reduce_v3(const T* a, Compute<T>* sum, int64_t n, cudaStream_t stream);

// *out = the sum of a. The order of the additions depends only on n, on the address
// of a modulo 16 and on the number of SMs: equal calls give equal bits. v4 needs
// memory of its own for each call: partial sums, [blocks], and a counter.
template <typename T>
cudaError_t reduce_blocks(int64_t n, int64_t* blocks);
template <typename T>
cudaError_t reduce_v4(const T* a, T* out, Compute<T>* partial, unsigned* counter,
                      int64_t n, cudaStream_t stream);
