// Calls LeetCUDA's launchers of operators on rows: softmax.
#include "xlite-dev+LeetCUDA/kernels/softmax/softmax.cu"

using Launcher = void (*)(torch::Tensor, torch::Tensor);

static const Launcher in_float[] = {
    softmax_f32_per_token,        softmax_f32x4_per_token,           safe_softmax_f32_per_token,
    safe_softmax_f32x4_per_token, online_safe_softmax_f32_per_token, online_safe_softmax_f32x4_pack_per_token};
static const Launcher in_half[] = {safe_softmax_f16_f32_per_token, safe_softmax_f16x2_f32_per_token,
                                   safe_softmax_f16x8_pack_f32_per_token};

extern "C" void softmax_float(int which, float* x, float* y, int rows, int columns) {
    torch::Tensor tx(x, torch::kFloat32, {rows, columns}), ty(y, torch::kFloat32, {rows, columns});
    in_float[which](tx, ty);
}
extern "C" void softmax_half(int which, half* x, half* y, int rows, int columns) {
    torch::Tensor tx(x, torch::kHalf, {rows, columns}), ty(y, torch::kHalf, {rows, columns});
    in_half[which](tx, ty);
}
