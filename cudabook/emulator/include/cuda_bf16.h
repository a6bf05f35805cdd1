// bfloat16 under CUDA's names: storage, conversions and arithmetic rounded to nearest even.
#pragma once
#include "cuda_runtime.h"
#include "cudabook/small_float.h"

inline namespace cudabook_cuda {

struct __nv_bfloat16_raw {
    unsigned short x;
};

struct alignas(2) __nv_bfloat16 {
    unsigned short __x;
    __nv_bfloat16() = default;
    __nv_bfloat16(__nv_bfloat16_raw raw) : __x(raw.x) {}
    __nv_bfloat16(float v) : __x(cudabook::bfloat16_from_float(v)) {}
    __nv_bfloat16(double v) : __x(cudabook::bfloat16_from_double(v)) {}
    __nv_bfloat16(int v) : __nv_bfloat16(double(v)) {}
    __nv_bfloat16(unsigned v) : __nv_bfloat16(double(v)) {}
    __nv_bfloat16(long long v) : __nv_bfloat16(double(v)) {}
    operator float() const { return cudabook::bfloat16_to_float(__x); }
};
typedef __nv_bfloat16 nv_bfloat16;
struct alignas(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
};
typedef __nv_bfloat162 nv_bfloat162;

CUDABOOK_SMALL_FLOAT(__nv_bfloat16, __nv_bfloat162)
CUDABOOK_SMALL_FLOAT_CONVERSIONS(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162)
CUDABOOK_ATOMIC_UPDATE(__nv_bfloat16, unsigned short, atomicAdd, 0, x + v)
CUDABOOK_ATOMIC_PARTS(__nv_bfloat162, 2)

}  // namespace cudabook_cuda
