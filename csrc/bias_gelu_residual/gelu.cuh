// gelu, its derivative, and what the operator makes of them for one element.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "bias_gelu_residual.h"

// [convert]
__device__ inline float widen(float v) { return v; }
__device__ inline double widen(double v) { return v; }
__device__ inline float widen(__half v) { return __half2float(v); }
__device__ inline float widen(__nv_bfloat16 v) { return __bfloat162float(v); }

template <typename T>
__device__ inline T narrow(Compute<T> v) {
    if constexpr (std::is_same_v<T, __half>) return __float2half(v);
    else if constexpr (std::is_same_v<T, __nv_bfloat16>) return __float2bfloat16(v);
    else return v;
}
// [/convert]

// [normal]
// The normal distribution: P(Z < u), and the density at u.
template <typename C>
struct Normal {
    C cdf, pdf;
};

// erfc, and not 1 + erf, which cancels for u < 0: at u = -5 half of float's digits
// would be gone.
template <typename T>
__device__ inline Normal<Compute<T>> normal(Compute<T> u) {
    using C = Compute<T>;
    constexpr C SQRT_HALF = 0.707106781186547524401,
                HALF_LOG2E = 0.721347520444481703680,
                LOG2_PDF_OF_0 = -1.325748064736159248;
    return {C(0.5) * erfc(-SQRT_HALF * u),
            exp2(-HALF_LOG2E * u * u + LOG2_PDF_OF_0)};
}
// [/normal]

// [cheap]
// For 16-bit types. P(Z < -|u|) is the density times Mills' ratio, which has no
// steep part: a polynomial in 1 / (1 + 0.35 |u|) fits it. The coefficients make the
// largest relative error small: 1e-5 up to |u| = 5.8, 8e-5 beyond, where float16
// has no digits left; rounding costs float16 up to 5e-4, bfloat16 4e-3. One
// exponential serves both.
__device__ inline Normal<float> cheap_normal(float u) {
    float pdf = exp2f(fmaf(-0.72134752f * u, u, -1.32574806f));
    float t = __fdividef(1.0f, fmaf(0.35f, fabsf(u), 1.0f));
    float ratio = -0.25560312f;
    ratio = fmaf(ratio, t, 0.72824987f);
    ratio = fmaf(ratio, t, -0.0029024497f);
    ratio = fmaf(ratio, t, 0.44818541f);
    ratio = fmaf(ratio, t, 0.33443021f);
    ratio = fmaf(ratio, t, 0.00096548089f);
    float tail = pdf * ratio;
    return {u < 0 ? tail : 1 - tail, pdf};
}

template <>
__device__ inline Normal<float> normal<__half>(float u) {
    return cheap_normal(u);
}
template <>
__device__ inline Normal<float> normal<__nv_bfloat16>(float u) {
    return cheap_normal(u);
}
// [/cheap]

// [tanh]
// (1 + tanh(k)) / 2 with k = sqrt(2 / pi) (u + 0.044715 u^3) is the logistic
// function of 2 k, which does not cancel below zero; `slope` is d(2 k)/du. Far out
// the value is 0 or 1 and only the square could still overflow, so it is held at
// 10,000.
template <typename C>
struct Logistic {
    C value, slope;
};

template <typename T>
__device__ inline Logistic<Compute<T>> logistic(Compute<T> u) {
    using C = Compute<T>;
    constexpr C SCALE = 1.595769121605730711760, CUBIC = 0.044715;
    C square = fmin(u * u, C(10000));
    C twice_k = SCALE * u * (1 + CUBIC * square), value;
    if constexpr (sizeof(T) == 8) value = 1 / (1 + exp(-twice_k));
    if constexpr (sizeof(T) == 4) value = __fdividef(1, 1 + exp(-twice_k));
    if constexpr (sizeof(T) == 2) value = __fdividef(1, 1 + __expf(-twice_k));
    return {value, SCALE * (1 + 3 * CUBIC * square)};
}
// [/tanh]

// [gelu]
template <typename T, bool TANH>
__device__ inline Compute<T> gelu(Compute<T> u) {
    if constexpr (TANH) return u * logistic<T>(u).value;
    else return u * normal<T>(u).cdf;
}

template <typename T, bool TANH>
__device__ inline Compute<T> gelu_derivative(Compute<T> u) {
    if constexpr (TANH) {
        auto s = logistic<T>(u);
        return s.value + u * s.value * (1 - s.value) * s.slope;
    } else {
        auto z = normal<T>(u);
        return z.cdf + u * z.pdf;
    }
}
// [/gelu]

// [functions]
// What becomes of one element x + bias and of the element beside it.
template <typename T, bool TANH>
struct Forward {
    __device__ Compute<T> operator()(Compute<T> u, Compute<T> residual) const {
        return gelu<T, TANH>(u) + residual;
    }
};

template <typename T, bool TANH>
struct Backward {
    __device__ Compute<T> operator()(Compute<T> u, Compute<T> grad) const {
        return grad * gelu_derivative<T, TANH>(u);
    }
};
// [/functions]
