// Mathematical functions that C++ does not have under CUDA's names. Meanings: CUDA Math API. The fast functions
// (__expf and its kin) are as exact as the plain ones here; on a GPU they lose some bits.
#pragma once
#include "rounding.h"

#include <math.h>
#include <stdlib.h>

// The C library's header declares these names for its own use, as functions of the same types: here are definitions.
extern "C" {
inline float __expf(float x) noexcept { return expf(x); }
inline float __exp10f(float x) noexcept { return exp10f(x); }
inline float __logf(float x) noexcept { return logf(x); }
inline float __log2f(float x) noexcept { return log2f(x); }
inline float __log10f(float x) noexcept { return log10f(x); }
inline float __sinf(float x) noexcept { return sinf(x); }
inline float __cosf(float x) noexcept { return cosf(x); }
inline float __tanf(float x) noexcept { return tanf(x); }
inline float __tanhf(float x) noexcept { return tanhf(x); }
inline void __sincosf(float x, float* sine, float* cosine) noexcept { sincosf(x, sine, cosine); }
inline float __powf(float x, float y) noexcept { return powf(x, y); }
}

inline namespace cudabook_cuda {

// --- single precision, fast
inline float __fdividef(float a, float b) { return a / b; }
inline float fdividef(float a, float b) { return a / b; }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
inline float __frsqrt_rn(float x) { return float(1.0 / sqrt(double(x))); }

// --- both precisions. In double the float ones are right to the last bit but for rare ties.
#define CUDABOOK_PI 3.14159265358979323846
#define CUDABOOK_BOTH(name, expression)                 \
    inline double name(double x) { return expression; } \
    inline float name##f(float single) {                \
        double x = single;                              \
        return float(expression);                       \
    }
CUDABOOK_BOTH(rsqrt, 1 / sqrt(x))
CUDABOOK_BOTH(rcbrt, 1 / cbrt(x))
// Reduced to [-1, 1] before the multiplication by pi: exact, as remainder() is.
CUDABOOK_BOTH(sinpi, sin(CUDABOOK_PI* remainder(x, 2)))
CUDABOOK_BOTH(cospi, cos(CUDABOOK_PI* remainder(x, 2)))
CUDABOOK_BOTH(normcdf, erfc(-x * 0.70710678118654752440) / 2)
inline void sincospi(double x, double* s, double* c) { *s = sinpi(x), *c = cospi(x); }
inline void sincospif(float x, float* s, float* c) { *s = sinpif(x), *c = cospif(x); }
#undef CUDABOOK_BOTH
#undef CUDABOOK_PI

inline float rsqrt(float x) { return rsqrtf(x); }
inline double rhypot(double x, double y) { return 1 / hypot(x, y); }
inline float rhypotf(float x, float y) { return float(1 / hypot(double(x), double(y))); }
inline double norm3d(double a, double b, double c) { return hypot(hypot(a, b), c); }
inline float norm3df(float a, float b, float c) { return float(norm3d(a, b, c)); }
inline float rnorm3df(float a, float b, float c) { return float(1 / norm3d(a, b, c)); }
inline float norm4df(float a, float b, float c, float d) { return float(hypot(norm3d(a, b, c), d)); }
inline float rnorm4df(float a, float b, float c, float d) { return float(1 / hypot(norm3d(a, b, c), d)); }

// The inverse of erf: Newton's method on log-scaled starting values; erfc keeps the digits near 1.
inline double erfcinv(double y) {
    if (!(y > 0 && y < 2)) return y == 0 ? INFINITY : y == 2 ? -INFINITY : NAN;
    double upper = y > 1 ? 2 - y : y, t = sqrt(-2 * log(upper / 2));
    double x = 0.70710678118654752440 * (t - (2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481)));
    for (int i = 0; i < 4; ++i) {
        double off = (erfc(x) - upper) / (-1.12837916709551257390 * exp(-x * x));
        x -= off / (1 + x * off);
    }
    return y > 1 ? -x : x;
}
inline double erfinv(double y) {
    if (fabs(y) > 0.5) return y < 0 ? -erfcinv(1 + y) : erfcinv(1 - y);
    double x = y * 0.88622692545275801365;
    for (int i = 0; i < 5; ++i) {
        double off = (erf(x) - y) / (1.12837916709551257390 * exp(-x * x));
        x -= off / (1 + x * off);
    }
    return x;
}
inline float erfinvf(float y) { return float(erfinv(y)); }
inline float erfcinvf(float y) { return float(erfcinv(y)); }
inline double normcdfinv(double y) { return -1.41421356237309504880 * erfcinv(2 * y); }
inline float normcdfinvf(float y) { return float(normcdfinv(y)); }

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
inline int __double2hiint(double x) { return int(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return int(__double_as_longlong(x)); }
inline double __hiloint2double(int high, int low) {
    return __longlong_as_double((long long)((unsigned long long)unsigned(high) << 32 | unsigned(low)));
}

}  // namespace cudabook_cuda
