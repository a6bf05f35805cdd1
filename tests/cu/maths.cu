// Mathematical, rounding, conversion and integer functions: one result a thread and function.
#include <cuda_runtime.h>

__global__ void single_kernel(const float* x, const float* y, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = x[i], b = y[i], s, c;
    sincospif(a, &s, &c);
    const float result[] = {rsqrtf(fabsf(a)),
                            rcbrtf(a),
                            sinpif(a),
                            cospif(a),
                            s,
                            c,
                            normcdff(a),
                            erff(a),
                            erfcf(a),
                            exp10f(a),
                            rhypotf(a, b),
                            norm3df(a, b, 2.0f),
                            norm4df(a, b, 2.0f, 3.0f),
                            erfinvf(a / 16),
                            erfcinvf(1 + a / 16),
                            normcdfinvf(0.5f + a / 32),
                            __fdividef(a, b),
                            __expf(a),
                            __log2f(fabsf(a)),
                            __sinf(a),
                            __powf(fabsf(a), b),
                            __saturatef(a),
                            __frsqrt_rn(fabsf(a)),
                            __tanf(a / 8)};
    for (int k = 0; k < int(sizeof result / sizeof *result); ++k) out[k * n + i] = result[k];
}
extern "C" void single(const float* x, const float* y, float* out, int n, cudaStream_t stream) {
    single_kernel<<<(n + 127) / 128, 128, 0, stream>>>(x, y, out, n);
}

#define FOUR_OF(name, args) name##_rn args, name##_rz args, name##_ru args, name##_rd args
__global__ void rounded_kernel(const float* x, const float* y, const float* z, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = x[i], b = y[i], c = z[i];
    const float result[] = {FOUR_OF(__fadd, (a, b)),     FOUR_OF(__fsub, (a, b)),    FOUR_OF(__fmul, (a, b)),
                            FOUR_OF(__fdiv, (a, b)),     FOUR_OF(__fmaf, (a, b, c)), FOUR_OF(__frcp, (a)),
                            FOUR_OF(__fsqrt, (fabsf(a)))};
    for (int k = 0; k < 28; ++k) out[k * n + i] = result[k];
}
extern "C" void rounded(const float* x, const float* y, const float* z, float* out, int n, cudaStream_t stream) {
    rounded_kernel<<<(n + 127) / 128, 128, 0, stream>>>(x, y, z, out, n);
}
__global__ void rounded_double_kernel(const double* x, const double* y, const double* z, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double a = x[i], b = y[i], c = z[i];
    const double result[] = {FOUR_OF(__dadd, (a, b)),    FOUR_OF(__dsub, (a, b)),   FOUR_OF(__dmul, (a, b)),
                             FOUR_OF(__ddiv, (a, b)),    FOUR_OF(__fma, (a, b, c)), FOUR_OF(__drcp, (a)),
                             FOUR_OF(__dsqrt, (fabs(a)))};
    for (int k = 0; k < 28; ++k) out[k * n + i] = result[k];
}
extern "C" void rounded_double(const double* x, const double* y, const double* z, double* out, int n,
                               cudaStream_t stream) {
    rounded_double_kernel<<<(n + 127) / 128, 128, 0, stream>>>(x, y, z, out, n);
}

__global__ void to_integer_kernel(const float* x, int64_t* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = x[i];
    const int64_t result[] = {FOUR_OF(__float2int, (a)), FOUR_OF(__float2uint, (a)), FOUR_OF(__float2ll, (a)),
                              FOUR_OF(__double2int, (double(a)))};
    for (int k = 0; k < 16; ++k) out[k * n + i] = result[k];
}
extern "C" void to_integer(const float* x, int64_t* out, int n, cudaStream_t stream) {
    to_integer_kernel<<<(n + 127) / 128, 128, 0, stream>>>(x, out, n);
}
__global__ void from_integer_kernel(const int64_t* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int64_t a = x[i];
    const float result[] = {FOUR_OF(__int2float, (int(a))), FOUR_OF(__uint2float, (unsigned(a))),
                            FOUR_OF(__ll2float, (a)), FOUR_OF(__ull2float, ((unsigned long long)a))};
    for (int k = 0; k < 16; ++k) out[k * n + i] = result[k];
}
extern "C" void from_integer(const int64_t* x, float* out, int n, cudaStream_t stream) {
    from_integer_kernel<<<(n + 127) / 128, 128, 0, stream>>>(x, out, n);
}

__global__ void bits_kernel(const int* x, const int* y, int64_t* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int a = x[i], b = y[i];
    unsigned ua = a, ub = b;
    long long wide = (long long)((unsigned long long)ua << 32 | ub);
    const int64_t result[] = {__popc(ua),
                              __popcll(wide),
                              __clz(a),
                              __clzll(wide),
                              __ffs(a),
                              __ffsll(wide),
                              __brev(ua),
                              int64_t(__brevll(wide)),
                              __byte_perm(ua, ub, 0x7520),
                              __funnelshift_l(ua, ub, ub % 40),
                              __funnelshift_r(ua, ub, ub % 40),
                              __funnelshift_lc(ua, ub, ub % 40),
                              __funnelshift_rc(ua, ub, ub % 40),
                              __umulhi(ua, ub),
                              __mulhi(a, b),
                              int64_t(__umul64hi(wide, ~wide)),
                              __mul64hi(wide, ~wide),
                              __mul24(a, b),
                              __umul24(ua, ub),
                              __sad(a, b, 5u),
                              __usad(ua, ub, 5u),
                              __hadd(a, b),
                              __rhadd(a, b),
                              __uhadd(ua, ub),
                              __urhadd(ua, ub),
                              __dp4a(a, b, 7),
                              __dp4a(ua, ub, 7u),
                              __dp2a_lo(a, b, 7),
                              __dp2a_hi(a, b, 7),
                              __vadd4(ua, ub),
                              __vsub2(ua, ub),
                              __vmaxs4(ua, ub),
                              __vminu2(ua, ub),
                              __vabsdiffu4(ua, ub),
                              __vcmpgts4(ua, ub),
                              __vavgu4(ua, ub),
                              __vseteq4(ua, ub),
                              umin(ua, ub),
                              umax(ua, ub),
                              llmin(wide, -7),
                              llmax(wide, -7),
                              int64_t(ullmin(wide, 7ull << 60)),
                              int64_t(ullmax(wide, 7ull << 60))};
    for (int k = 0; k < int(sizeof result / sizeof *result); ++k) out[k * n + i] = result[k];
}
extern "C" void bits(const int* x, const int* y, int64_t* out, int n, cudaStream_t stream) {
    bits_kernel<<<(n + 127) / 128, 128, 0, stream>>>(x, y, out, n);
}
