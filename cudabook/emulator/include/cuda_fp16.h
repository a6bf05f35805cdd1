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
    __half(int v) : __half(float(v)) {}
    __half(unsigned v) : __half(double(v)) {}
    __half(long long v) : __half(double(v)) {}
    operator float() const { return cudabook::half_to_float(__x); }
};
typedef __half half;
struct alignas(4) __half2 {
    __half x, y;
};
typedef __half2 half2;

inline float __half2float(__half a) { return a; }
inline __half __float2half(float a) { return __half(a); }
inline __half __float2half_rn(float a) { return __half(a); }
inline __half __double2half(double a) { return __half(a); }
inline __half2 __floats2half2_rn(float a, float b) { return {__half(a), __half(b)}; }
inline float2 __half22float2(__half2 a) { return {a.x, a.y}; }
inline __half2 __halves2half2(__half a, __half b) { return {a, b}; }
inline __half2 make_half2(__half a, __half b) { return {a, b}; }
inline __half __low2half(__half2 a) { return a.x; }
inline __half __high2half(__half2 a) { return a.y; }

CUDABOOK_SMALL_FLOAT(__half, __half2)

}  // namespace cudabook_cuda
