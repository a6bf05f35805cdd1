// Calls LeetCUDA's launchers of layer norm and RMS norm in single precision.
#include "xlite-dev+LeetCUDA/kernels/layer-norm/layer_norm.cu"
#define block_reduce_sum_f32 rms_block_reduce_sum_f32
#define block_reduce_sum_f16_f16 rms_block_reduce_sum_f16_f16
#define block_reduce_sum_f16_f32 rms_block_reduce_sum_f16_f32
#define warp_reduce_sum_f32 rms_warp_reduce_sum_f32
#define warp_reduce_sum_f16_f16 rms_warp_reduce_sum_f16_f16
#define warp_reduce_sum_f16_f32 rms_warp_reduce_sum_f16_f32
#include "xlite-dev+LeetCUDA/kernels/rms-norm/rms_norm.cu"

extern "C" void layer_norm(int wide, float* x, float* y, int rows, int columns, float g, float b) {
    torch::Tensor tx(x, torch::kFloat32, {rows, columns}), ty(y, torch::kFloat32, {rows, columns});
    wide ? layer_norm_f32x4(tx, ty, g, b) : layer_norm_f32(tx, ty, g, b);
}
extern "C" void rms_norm(int wide, float* x, float* y, int rows, int columns, float g) {
    torch::Tensor tx(x, torch::kFloat32, {rows, columns}), ty(y, torch::kFloat32, {rows, columns});
    wide ? rms_norm_f32x4(tx, ty, g) : rms_norm_f32(tx, ty, g);
}
