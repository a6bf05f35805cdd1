// binary16 and bfloat16: exact conversions, and the functions that cuda_fp16.h and cuda_bf16.h share.
// +, -, *, / and sqrt of 16-bit floats computed in float and rounded once more are correctly rounded, since float has
// more than 2p+2 bits for both formats (Figueroa, "When is double rounding innocuous?", 1995).
#pragma once

namespace cudabook {

inline unsigned bits_of(float v) {
    unsigned u;
    __builtin_memcpy(&u, &v, 4);
    return u;
}
inline float float_of(unsigned u) {
    float v;
    __builtin_memcpy(&v, &u, 4);
    return v;
}
// A float that rounds to the same 16-bit value as v does: round to odd keeps the information "there was more".
inline float round_to_odd(double v) {
    float f = float(v);
    if (double(f) == v || v != v || __builtin_isinf(f)) return f;
    unsigned u = bits_of(f);
    bool too_far = (v > 0) == (double(f) > v);
    return float_of(too_far && !(u & 1) ? u - 1 : u | 1);
}

// a * b + c, rounded to odd: the product of two 16-bit floats is exact in double, the sum need not be.
inline double fma_to_odd(float a, float b, float c) {
    double p = double(a) * b, s = p + c, t = s - p, lost = (p - (s - t)) + (c - t);
    if (lost == 0 || lost != lost || __builtin_isinf(s)) return s;
    unsigned long long u;
    __builtin_memcpy(&u, &s, 8);
    if (!(u & 1)) u += (lost > 0) == (s > 0) ? 1 : -1;
    __builtin_memcpy(&s, &u, 8);
    return s;
}

inline unsigned short half_from_float(float v) {
    unsigned u = bits_of(v), sign = u >> 16 & 0x8000u, a = u & 0x7fffffffu;
    if (a > 0x7f800000u) return 0x7fff;                       // NaN
    if (a >= 0x477ff000u) return sign | 0x7c00u;              // rounds to infinity
    if (a < 0x38800000u) {                                    // subnormal or zero: let the adder round
        float scaled = float_of(a) + 0.5f;                    // ulp of 0.5 is 2^-24, the subnormal step
        return sign | (bits_of(scaled) - bits_of(0.5f));
    }
    a += 0xfffu + (a >> 13 & 1);
    return sign | ((a - 0x38000000u) >> 13);
}
inline float half_to_float(unsigned short h) {
    unsigned sign = (h & 0x8000u) << 16, exponent = h >> 10 & 31, fraction = h & 0x3ffu;
    if (exponent == 31) return float_of(sign | 0x7f800000u | fraction << 13);
    if (exponent == 0) {
        float v = float(fraction) * 0x1p-24f;
        return sign ? -v : v;
    }
    return float_of(sign | (exponent + 112) << 23 | fraction << 13);
}
inline unsigned short half_from_double(double v) { return half_from_float(round_to_odd(v)); }

inline unsigned short bfloat16_from_float(float v) {
    unsigned u = bits_of(v);
    if ((u & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
    return (u + 0x7fffu + (u >> 16 & 1)) >> 16;
}
inline float bfloat16_to_float(unsigned short b) { return float_of(unsigned(b) << 16); }
inline unsigned short bfloat16_from_double(double v) { return bfloat16_from_float(round_to_odd(v)); }

}  // namespace cudabook

#define CUDABOOK_SMALL_FLOAT(T, T2)                                                                \
    inline T __hadd(T a, T b) { return T(float(a) + float(b)); }                                   \
    inline T __hsub(T a, T b) { return T(float(a) - float(b)); }                                   \
    inline T __hmul(T a, T b) { return T(float(a) * float(b)); }                                   \
    inline T __hdiv(T a, T b) { return T(float(a) / float(b)); }                                   \
    inline T __hadd_rn(T a, T b) { return __hadd(a, b); }                                          \
    inline T __hsub_rn(T a, T b) { return __hsub(a, b); }                                          \
    inline T __hmul_rn(T a, T b) { return __hmul(a, b); }                                          \
    inline T __hneg(T a) { return T(-float(a)); }                                                  \
    inline T __habs(T a) { return T(__builtin_fabsf(a)); }                                         \
    inline T __hfma(T a, T b, T c) { return T(cudabook::fma_to_odd(a, b, c)); }                    \
    inline T __hmax(T a, T b) { return T(__builtin_fmaxf(a, b)); }                                 \
    inline T __hmin(T a, T b) { return T(__builtin_fminf(a, b)); }                                 \
    inline bool __hisnan(T a) { return __builtin_isnan(float(a)); }                                \
    inline int __hisinf(T a) { return __builtin_isinf(float(a)) ? (float(a) > 0 ? 1 : -1) : 0; }   \
    inline bool __heq(T a, T b) { return float(a) == float(b); }                                   \
    inline bool __hne(T a, T b) { return float(a) < float(b) || float(a) > float(b); }             \
    inline bool __hlt(T a, T b) { return float(a) < float(b); }                                    \
    inline bool __hle(T a, T b) { return float(a) <= float(b); }                                   \
    inline bool __hgt(T a, T b) { return float(a) > float(b); }                                    \
    inline bool __hge(T a, T b) { return float(a) >= float(b); }                                   \
    inline T hsqrt(T a) { return T(__builtin_sqrtf(a)); }                                          \
    inline T hrsqrt(T a) { return T(1.0 / __builtin_sqrt(float(a))); }                             \
    inline T hrcp(T a) { return T(1.0f / float(a)); }                                              \
    inline T hexp(T a) { return T(__builtin_expf(a)); }                                            \
    inline T hexp2(T a) { return T(__builtin_exp2f(a)); }                                          \
    inline T hlog(T a) { return T(__builtin_logf(a)); }                                            \
    inline T hlog2(T a) { return T(__builtin_log2f(a)); }                                          \
    inline T hsin(T a) { return T(__builtin_sinf(a)); }                                            \
    inline T hcos(T a) { return T(__builtin_cosf(a)); }                                            \
    inline T htanh(T a) { return T(__builtin_tanhf(a)); }                                          \
    inline T hfloor(T a) { return T(__builtin_floorf(a)); }                                        \
    inline T hceil(T a) { return T(__builtin_ceilf(a)); }                                          \
    inline T htrunc(T a) { return T(__builtin_truncf(a)); }                                        \
    inline T hrint(T a) { return T(__builtin_rintf(a)); }                                          \
    inline T2 __hadd2(T2 a, T2 b) { return {__hadd(a.x, b.x), __hadd(a.y, b.y)}; }                 \
    inline T2 __hsub2(T2 a, T2 b) { return {__hsub(a.x, b.x), __hsub(a.y, b.y)}; }                 \
    inline T2 __hmul2(T2 a, T2 b) { return {__hmul(a.x, b.x), __hmul(a.y, b.y)}; }                 \
    inline T2 __h2div(T2 a, T2 b) { return {__hdiv(a.x, b.x), __hdiv(a.y, b.y)}; }                 \
    inline T2 __hmax2(T2 a, T2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }                 \
    inline T2 __hmin2(T2 a, T2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }                 \
    inline T2 __hneg2(T2 a) { return {__hneg(a.x), __hneg(a.y)}; }                                 \
    inline T2 __habs2(T2 a) { return {__habs(a.x), __habs(a.y)}; }                                 \
    inline T2 __hfma2(T2 a, T2 b, T2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; } \
    inline T operator+(T a, T b) { return __hadd(a, b); }                                          \
    inline T& operator+=(T& a, T b) { return a = __hadd(a, b); }                                   \
    inline T operator-(T a, T b) { return __hsub(a, b); }                                          \
    inline T& operator-=(T& a, T b) { return a = __hsub(a, b); }                                   \
    inline T operator*(T a, T b) { return __hmul(a, b); }                                          \
    inline T& operator*=(T& a, T b) { return a = __hmul(a, b); }                                   \
    inline T operator/(T a, T b) { return __hdiv(a, b); }                                          \
    inline T& operator/=(T& a, T b) { return a = __hdiv(a, b); }                                   \
    inline T operator-(T a) { return __hneg(a); }                                                  \
    inline T2 operator+(T2 a, T2 b) { return __hadd2(a, b); }                                      \
    inline T2& operator+=(T2& a, T2 b) { return a = __hadd2(a, b); }                               \
    inline T2 operator-(T2 a, T2 b) { return __hsub2(a, b); }                                      \
    inline T2& operator-=(T2& a, T2 b) { return a = __hsub2(a, b); }                               \
    inline T2 operator*(T2 a, T2 b) { return __hmul2(a, b); }                                      \
    inline T2& operator*=(T2& a, T2 b) { return a = __hmul2(a, b); }                               \
    inline T2 operator/(T2 a, T2 b) { return __h2div(a, b); }                                      \
    inline T2& operator/=(T2& a, T2 b) { return a = __h2div(a, b); }                               \
    inline T2 operator-(T2 a) { return __hneg2(a); }                                               \
    inline bool operator==(T a, T b) { return __heq(a, b); }                                       \
    inline bool operator!=(T a, T b) { return !__heq(a, b); }                                      \
    inline bool operator<(T a, T b) { return __hlt(a, b); }                                        \
    inline bool operator>(T a, T b) { return __hgt(a, b); }                                        \
    inline bool operator<=(T a, T b) { return __hle(a, b); }                                       \
    inline bool operator>=(T a, T b) { return __hge(a, b); }

// The names of conversions differ: half and half2, bfloat16 and bfloat162.
#define CUDABOOK_SMALL_FLOAT_CONVERSIONS(T, T2, name, name2)                                               \
    inline float __##name##2float(T a) { return a; }                                                       \
    inline T __float2##name(float a) { return T(a); }                                                      \
    inline T __float2##name##_rn(float a) { return T(a); }                                                 \
    inline T __double2##name(double a) { return T(a); }                                                    \
    inline int __##name##2int_rn(T a) { return cudabook::to_integer<int>(__builtin_rintf(a)); }            \
    inline int __##name##2int_rz(T a) { return cudabook::to_integer<int>(a); }                             \
    inline unsigned __##name##2uint_rn(T a) { return cudabook::to_integer<unsigned>(__builtin_rintf(a)); } \
    inline unsigned __##name##2uint_rz(T a) { return cudabook::to_integer<unsigned>(a); }                  \
    inline T __int2##name##_rn(int a) { return T(double(a)); }                                             \
    inline T __uint2##name##_rn(unsigned a) { return T(double(a)); }                                       \
    inline unsigned short __##name##_as_ushort(T a) { return a.__x; }                                      \
    inline short __##name##_as_short(T a) { return short(a.__x); }                                         \
    inline T __ushort_as_##name(unsigned short a) { return T(T##_raw{a}); }                                \
    inline T __short_as_##name(short a) { return T(T##_raw{(unsigned short)a}); }                          \
    inline T2 __floats2##name2##_rn(float a, float b) { return {T(a), T(b)}; }                             \
    inline T2 __float2##name2##_rn(float a) { return {T(a), T(a)}; }                                       \
    inline T2 __float22##name2##_rn(float2 a) { return {T(a.x), T(a.y)}; }                                 \
    inline float2 __##name2##2float2(T2 a) { return {a.x, a.y}; }                                          \
    inline T2 __##name##2##name2(T a) { return {a, a}; }                                                   \
    inline T2 __halves2##name2(T a, T b) { return {a, b}; }                                                \
    inline T2 make_##name2(T a, T b) { return {a, b}; }                                                    \
    inline T __low2##name(T2 a) { return a.x; }                                                            \
    inline T __high2##name(T2 a) { return a.y; }                                                           \
    inline T2 __low2##name2(T2 a) { return {a.x, a.x}; }                                                   \
    inline T2 __high2##name2(T2 a) { return {a.y, a.y}; }                                                  \
    inline T2 __lows2##name2(T2 a, T2 b) { return {a.x, b.x}; }                                            \
    inline T2 __highs2##name2(T2 a, T2 b) { return {a.y, b.y}; }                                           \
    inline T2 __lowhigh2highlow(T2 a) { return {a.y, a.x}; }                                               \
    inline float __low2float(T2 a) { return a.x; }                                                         \
    inline float __high2float(T2 a) { return a.y; }
