// 8-bit floats: every code to float and back, and floats to the nearest code.
#include <cuda_fp8.h>

template <class T>
__global__ void decode_kernel(const unsigned char* codes, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    T value;
    value.__x = codes[i];
    out[i] = float(value);
}

template <class T>
__global__ void encode_kernel(const float* values, unsigned char* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = T(values[i]).__x;
}

__global__ void unsaturated_kernel(const float* values, unsigned char* e4m3, unsigned char* e5m2, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    e4m3[i] = __nv_cvt_float_to_fp8(values[i], __NV_NOSAT, __NV_E4M3);
    e5m2[i] = __nv_cvt_float_to_fp8(values[i], __NV_NOSAT, __NV_E5M2);
}

extern "C" void decode(const unsigned char* codes, float* out, int n, bool e4m3, cudaStream_t stream) {
    if (e4m3) decode_kernel<__nv_fp8_e4m3><<<(n + 63) / 64, 64, 0, stream>>>(codes, out, n);
    else decode_kernel<__nv_fp8_e5m2><<<(n + 63) / 64, 64, 0, stream>>>(codes, out, n);
}
extern "C" void encode(const float* values, unsigned char* out, int n, bool e4m3, cudaStream_t stream) {
    if (e4m3) encode_kernel<__nv_fp8_e4m3><<<(n + 63) / 64, 64, 0, stream>>>(values, out, n);
    else encode_kernel<__nv_fp8_e5m2><<<(n + 63) / 64, 64, 0, stream>>>(values, out, n);
}
extern "C" void unsaturated(const float* values, unsigned char* e4m3, unsigned char* e5m2, int n, cudaStream_t stream) {
    unsaturated_kernel<<<(n + 63) / 64, 64, 0, stream>>>(values, e4m3, e5m2, n);
}
