// binary16 and bfloat16: exact conversions, and the arithmetic that cuda_fp16.h and cuda_bf16.h share.
// +, -, *, / of two 16-bit floats computed in float and rounded once more are correctly rounded, since float has
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
    inline T __hneg(T a) { return T(-float(a)); }                                                  \
    inline T __hfma(T a, T b, T c) { return T(double(float(a)) * float(b) + float(c)); }           \
    inline T2 __hadd2(T2 a, T2 b) { return {__hadd(a.x, b.x), __hadd(a.y, b.y)}; }                 \
    inline T2 __hsub2(T2 a, T2 b) { return {__hsub(a.x, b.x), __hsub(a.y, b.y)}; }                 \
    inline T2 __hmul2(T2 a, T2 b) { return {__hmul(a.x, b.x), __hmul(a.y, b.y)}; }                 \
    inline T2 __hfma2(T2 a, T2 b, T2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; } \
    inline T operator+(T a, T b) { return __hadd(a, b); }                                          \
    inline T operator-(T a, T b) { return __hsub(a, b); }                                          \
    inline T operator*(T a, T b) { return __hmul(a, b); }                                          \
    inline T operator/(T a, T b) { return __hdiv(a, b); }                                          \
    inline T operator-(T a) { return __hneg(a); }                                                  \
    inline T& operator+=(T& a, T b) { return a = a + b; }                                          \
    inline T& operator-=(T& a, T b) { return a = a - b; }                                          \
    inline T& operator*=(T& a, T b) { return a = a * b; }                                          \
    inline T& operator/=(T& a, T b) { return a = a / b; }                                          \
    inline T2 operator+(T2 a, T2 b) { return __hadd2(a, b); }                                      \
    inline T2 operator-(T2 a, T2 b) { return __hsub2(a, b); }                                      \
    inline T2 operator*(T2 a, T2 b) { return __hmul2(a, b); }                                      \
    inline bool operator==(T a, T b) { return float(a) == float(b); }                              \
    inline bool operator!=(T a, T b) { return float(a) != float(b); }                              \
    inline bool operator<(T a, T b) { return float(a) < float(b); }                                \
    inline bool operator>(T a, T b) { return float(a) > float(b); }                                \
    inline bool operator<=(T a, T b) { return float(a) <= float(b); }                              \
    inline bool operator>=(T a, T b) { return float(a) >= float(b); }
