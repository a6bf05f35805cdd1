// add(x, y) for the four element types.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// [add]
__device__ inline float add(float x, float y) { return x + y; }
__device__ inline double add(double x, double y) { return x + y; }
__device__ inline __half add(__half x, __half y) {
    return __float2half(__half2float(x) + __half2float(y));
}
__device__ inline __nv_bfloat16 add(__nv_bfloat16 x, __nv_bfloat16 y) {
    return __float2bfloat16(__bfloat162float(x) + __bfloat162float(y));
}
// [/add]
