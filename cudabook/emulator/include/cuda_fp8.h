// 8-bit floats under CUDA's names: E4M3 (no infinity, largest 448) and E5M2, stored and converted, not calculated with.
// Meanings: CUDA Math API, "FP8 Intrinsics"; the formats are those of Micikevicius et al., "FP8 Formats for Deep
// Learning", 2022.
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace cudabook {

template <int exponent_bits>
struct Fp8 {
    static constexpr int fraction_bits = 7 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
    static constexpr unsigned largest = exponent_bits == 4 ? 0x7e : 0x7b, overflow = largest + 1;
    static constexpr unsigned nan = exponent_bits == 4 ? 0x7f : 0x7e;

    static float decode(unsigned char code) {
        int exponent = code >> fraction_bits & ((1 << exponent_bits) - 1), fraction = code & ((1 << fraction_bits) - 1);
        float sign = code & 0x80 ? -1.0f : 1.0f;
        if ((code & 0x7fu) > largest)
            return exponent_bits == 5 && !fraction ? sign * __builtin_inff() : __builtin_nanf("");
        if (!exponent) return sign * ldexpf(float(fraction), 1 - bias - fraction_bits);
        return sign * ldexpf(float(fraction + (1 << fraction_bits)), exponent - bias - fraction_bits);
    }

    // Rounded to nearest, ties to even; what is too large becomes the largest number if it is to be finite.
    static unsigned char encode(double v, bool finite) {
        if (v != v) return nan;
        double size = __builtin_fabs(v);
        unsigned sign = __builtin_signbit(v) ? 0x80 : 0, limit = finite ? largest : overflow;
        if (__builtin_isinf(v)) return sign | limit;
        int exponent = size ? ilogb(size) : 1 - bias;
        if (exponent < 1 - bias) exponent = 1 - bias;
        double units = rint(ldexp(size, fraction_bits - exponent));  // of the last place
        if (exponent > bias + 1) return sign | limit;
        unsigned code = unsigned(units) + ((exponent + bias - 1) << fraction_bits);
        return sign | (code > limit ? limit : code);
    }
};

}  // namespace cudabook

inline namespace cudabook_cuda {

typedef unsigned char __nv_fp8_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double v, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
    bool finite = saturate == __NV_SATFINITE;
    return kind == __NV_E4M3 ? cudabook::Fp8<4>::encode(v, finite) : cudabook::Fp8<5>::encode(v, finite);
}
inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float v, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
    return __nv_cvt_double_to_fp8(v, saturate, kind);
}
inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t code, __nv_fp8_interpretation_t kind) {
    float v = kind == __NV_E4M3 ? cudabook::Fp8<4>::decode(code) : cudabook::Fp8<5>::decode(code);
    return {cudabook::half_from_float(v)};
}

#define CUDABOOK_FP8(name, exponent_bits)                                                     \
    struct name {                                                                             \
        __nv_fp8_storage_t __x;                                                               \
        name() = default;                                                                     \
        explicit name(float v) : __x(cudabook::Fp8<exponent_bits>::encode(v, true)) {}        \
        explicit name(double v) : __x(cudabook::Fp8<exponent_bits>::encode(v, true)) {}       \
        explicit name(int v) : name(double(v)) {}                                             \
        explicit operator float() const { return cudabook::Fp8<exponent_bits>::decode(__x); } \
        explicit operator double() const { return float(*this); }                             \
        explicit operator __half() const { return float(*this); }                             \
        explicit operator __nv_bfloat16() const { return float(*this); }                      \
    };
CUDABOOK_FP8(__nv_fp8_e4m3, 4)
CUDABOOK_FP8(__nv_fp8_e5m2, 5)
#undef CUDABOOK_FP8

}  // namespace cudabook_cuda
