// Device functions that C++ does not have under CUDA's name: single-precision helpers, bit operations, cached loads.
// Meanings: CUDA Math API and CUDA C++ Programming Guide.
#pragma once
#include "launch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

namespace cudabook {
void fence(bool of_block);  // tells the runtime that the thread has passed a fence
}

inline namespace cudabook_cuda {

// --- min and max of mixed arithmetic types, as CUDA has them in the global namespace
template <class A, class B>
constexpr std::common_type_t<A, B> min(A a, B b) {
    using T = std::common_type_t<A, B>;
    if constexpr (std::is_floating_point_v<T>) return ::fmin(T(a), T(b));
    else return T(b) < T(a) ? T(b) : T(a);
}
template <class A, class B>
constexpr std::common_type_t<A, B> max(A a, B b) {
    using T = std::common_type_t<A, B>;
    if constexpr (std::is_floating_point_v<T>) return ::fmax(T(a), T(b));
    else return T(a) < T(b) ? T(b) : T(a);
}

// --- floating point
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float __fdividef(float a, float b) { return a / b; }
// The C library's math.h declares functions of these names for its own use.
#define __expf cudabook_expf
#define __logf cudabook_logf
#define __log2f cudabook_log2f
#define __log10f cudabook_log10f
#define __exp10f cudabook_exp10f
#define __sinf cudabook_sinf
#define __cosf cudabook_cosf
#define __tanf cudabook_tanf
#define __powf cudabook_powf
inline float __log10f(float x) { return log10f(x); }
inline float __exp10f(float x) { return powf(10.0f, x); }
inline float __tanf(float x) { return tanf(x); }
inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) {
    volatile float product = a * b;
    return product;
}
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline double __dmul_rn(double a, double b) {
    volatile double product = a * b;
    return product;
}
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }

// --- reinterpretation
#define CUDABOOK_AS(name, From, To)         \
    inline To name(From x) {                \
        To y;                               \
        __builtin_memcpy(&y, &x, sizeof y); \
        return y;                           \
    }
CUDABOOK_AS(__float_as_int, float, int)
CUDABOOK_AS(__float_as_uint, float, unsigned)
CUDABOOK_AS(__int_as_float, int, float)
CUDABOOK_AS(__uint_as_float, unsigned, float)
CUDABOOK_AS(__double_as_longlong, double, long long)
CUDABOOK_AS(__longlong_as_double, long long, double)
#undef CUDABOOK_AS

// --- bits
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned((unsigned long long)a * b >> 32); }
inline int __mulhi(int a, int b) { return int((long long)a * b >> 32); }
inline int __mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
inline unsigned __brev(unsigned x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}

// --- loads and stores with a cache hint: the hint has no effect on the value
template <class T> inline T __ldg(const T* p) { return *p; }
template <class T> inline T __ldcs(const T* p) { return *p; }
template <class T> inline T __ldcg(const T* p) { return *p; }
template <class T> inline T __ldca(const T* p) { return *p; }
template <class T> inline void __stcs(T* p, T v) { *p = v; }
template <class T> inline void __stcg(T* p, T v) { *p = v; }
template <class T> inline void __stwt(T* p, T v) { *p = v; }

// --- fences: one OS thread runs a block; between blocks the machine's own fence is needed
#ifdef __SANITIZE_THREAD__
#define CUDABOOK_FENCE(of_block) cudabook::fence(of_block);
#else
#define CUDABOOK_FENCE(of_block)
#endif
inline void __threadfence() { CUDABOOK_FENCE(false) __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { CUDABOOK_FENCE(true) __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { CUDABOOK_FENCE(false) __atomic_thread_fence(__ATOMIC_SEQ_CST); }
#undef CUDABOOK_FENCE

}  // namespace cudabook_cuda
