// Arithmetic and conversions whose rounding the name tells: _rn to nearest even, _rz towards zero, _ru up, _rd down.
// The machine's own rounding mode does it. Values pass through held(), so that the compiler neither fuses two
// operations nor moves one out of its mode.
#pragma once
#include <cfenv>
#include <cmath>
#include <limits>

namespace cudabook {

// The value, by a way that the compiler cannot see through.
template <class T>
__attribute__((always_inline)) inline T held(T x) {
    asm volatile("" : "+m"(x));
    return x;
}

template <int mode>
struct Rounding {
    Rounding() {
        if (mode != FE_TONEAREST) fesetround(mode);
    }
    ~Rounding() {
        if (mode != FE_TONEAREST) fesetround(FE_TONEAREST);
    }
};

// A floating-point number as an integer: saturated, and NaN gives 0 (for 64 bits, the lowest value): as the GPU does.
template <class I, class F>
I to_integer(F v) {
    constexpr I low = std::numeric_limits<I>::min(), high = std::numeric_limits<I>::max();
    if (v != v) return sizeof(I) == 8 ? I(1ull << 63) : 0;
    if (v <= F(low)) return low;
    return v >= F(high) ? high : I(v);
}

// As a double, rounded to odd, so that a second rounding sees whether anything was lost.
inline double to_odd_double(unsigned long long x) {
    unsigned long long kept = x;
    int shift = x >> 53 ? 11 - __builtin_clzll(x) : 0;
    if (shift) kept = x >> shift << shift | (x & ((1ull << shift) - 1) ? 1ull << shift : 0);
    return double((long long)(kept >> 1)) * 2 + double(kept & 1);
}

}  // namespace cudabook

inline namespace cudabook_cuda {

#define CUDABOOK_ROUNDED(T, name, mode, parameters, expression) \
    inline T name parameters {                                  \
        cudabook::Rounding<mode> in_this_mode;                  \
        return cudabook::held(T(expression));                   \
    }
#define CUDABOOK_MODES(T, name, parameters, expression)                   \
    CUDABOOK_ROUNDED(T, name##_rn, FE_TONEAREST, parameters, expression)  \
    CUDABOOK_ROUNDED(T, name##_rz, FE_TOWARDZERO, parameters, expression) \
    CUDABOOK_ROUNDED(T, name##_ru, FE_UPWARD, parameters, expression)     \
    CUDABOOK_ROUNDED(T, name##_rd, FE_DOWNWARD, parameters, expression)

#define CUDABOOK_ARITHMETIC(T, prefix, fma_name, fma_function, sqrt_function)         \
    CUDABOOK_MODES(T, prefix##add, (T a, T b), cudabook::held(a) + cudabook::held(b)) \
    CUDABOOK_MODES(T, prefix##sub, (T a, T b), cudabook::held(a) - cudabook::held(b)) \
    CUDABOOK_MODES(T, prefix##mul, (T a, T b), cudabook::held(a) * cudabook::held(b)) \
    CUDABOOK_MODES(T, prefix##div, (T a, T b), cudabook::held(a) / cudabook::held(b)) \
    CUDABOOK_MODES(T, prefix##rcp, (T a), T(1) / cudabook::held(a))                   \
    CUDABOOK_MODES(T, prefix##sqrt, (T a), sqrt_function(cudabook::held(a)))          \
    CUDABOOK_MODES(T, fma_name, (T a, T b, T c), fma_function(cudabook::held(a), cudabook::held(b), cudabook::held(c)))
CUDABOOK_ARITHMETIC(float, __f, __fmaf, fmaf, sqrtf)
CUDABOOK_ARITHMETIC(double, __d, __fma, fma, sqrt)
#undef CUDABOOK_ARITHMETIC

// Conversions to a floating-point type that may lose bits.
CUDABOOK_MODES(float, __double2float, (double x), float(cudabook::held(x)))
CUDABOOK_MODES(float, __int2float, (int x), float(cudabook::held(x)))
CUDABOOK_MODES(float, __uint2float, (unsigned x), float(cudabook::held(x)))
CUDABOOK_MODES(float, __ll2float, (long long x), float(cudabook::held(x)))
CUDABOOK_MODES(double, __ll2double, (long long x), double(cudabook::held(x)))
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }

// The compiler's own code for unsigned 64-bit integers is right in the mode to nearest only: split into two halves,
// which are exact, and round their sum.
CUDABOOK_MODES(double, __ull2double, (unsigned long long x),
               cudabook::held(x) / 4294967296ull * 0x1p32 + double((unsigned)cudabook::held(x)))
CUDABOOK_MODES(float, __ull2float, (unsigned long long x), float(cudabook::to_odd_double(x)))

// Conversions to an integer.
#define CUDABOOK_TO_INTEGER(name, F, I)                                        \
    inline I name##_rn(F x) { return cudabook::to_integer<I>(std::rint(x)); }  \
    inline I name##_rz(F x) { return cudabook::to_integer<I>(std::trunc(x)); } \
    inline I name##_ru(F x) { return cudabook::to_integer<I>(std::ceil(x)); }  \
    inline I name##_rd(F x) { return cudabook::to_integer<I>(std::floor(x)); }
CUDABOOK_TO_INTEGER(__float2int, float, int)
CUDABOOK_TO_INTEGER(__float2uint, float, unsigned)
CUDABOOK_TO_INTEGER(__float2ll, float, long long)
CUDABOOK_TO_INTEGER(__float2ull, float, unsigned long long)
CUDABOOK_TO_INTEGER(__double2int, double, int)
CUDABOOK_TO_INTEGER(__double2uint, double, unsigned)
CUDABOOK_TO_INTEGER(__double2ll, double, long long)
CUDABOOK_TO_INTEGER(__double2ull, double, unsigned long long)
#undef CUDABOOK_TO_INTEGER

#undef CUDABOOK_ROUNDED
#undef CUDABOOK_MODES

}  // namespace cudabook_cuda
