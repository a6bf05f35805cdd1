// CUDA's declaration qualifiers, as far as a C++ compiler needs to know them.
// The translator (translate.py) has already dealt with __shared__, <<<>>> and the start of every __global__ function.
#pragma once

// Where loads and stores are watched, all is inlined that can be: g++ does not see the store in `*p = f(x)` where f
// returns a struct, such as __half, by a call.
#ifdef __SANITIZE_THREAD__
#define __global__ __attribute__((noinline, flatten))
#else
#define __global__ __attribute__((noinline))
#endif
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) alignas(n)
#define __builtin_align__(n) alignas(n)
#define __inline_hint__
