// Half precision (IEEE 754 binary16) under CUDA's names: storage, conversions and arithmetic rounded to nearest even.
#pragma once
#include "cuda_runtime.h"
#include "cudabook/small_float.h"

inline namespace cudabook_cuda {

struct __half_raw {
    unsigned short x;
};

struct alignas(2) __half {
    unsigned short __x;
    __half() = default;
    __half(__half_raw raw) : __x(raw.x) {}
    __half(float v) : __x(cudabook::half_from_float(v)) {}
    __half(double v) : __x(cudabook::half_from_double(v)) {}
    __half(int v) : __half(double(v)) {}
    __half(unsigned v) : __half(double(v)) {}
    __half(long long v) : __half(double(v)) {}
    operator float() const { return cudabook::half_to_float(__x); }
};
typedef __half half;
struct alignas(4) __half2 {
    __half x, y;
};
typedef __half2 half2;

CUDABOOK_SMALL_FLOAT(__half, __half2)
CUDABOOK_SMALL_FLOAT_CONVERSIONS(__half, __half2, half, half2)
CUDABOOK_ATOMIC_UPDATE(__half, unsigned short, atomicAdd, 0, x + v)
CUDABOOK_ATOMIC_PARTS(__half2, 2)

}  // namespace cudabook_cuda
