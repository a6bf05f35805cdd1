// Calls LeetCUDA's launchers of rotary embedding, embedding, and the product of a matrix and a vector.
#include "xlite-dev+LeetCUDA/kernels/rope/rope.cu"
#include "xlite-dev+LeetCUDA/kernels/embedding/embedding.cu"
#include "xlite-dev+LeetCUDA/kernels/sgemv/sgemv.cu"

extern "C" void rope(int which, float* x, float* y, int rows, int columns) {
    torch::Tensor tx(x, torch::kFloat32, {rows, columns}), ty(y, torch::kFloat32, {rows, columns});
    which == 0 ? rope_f32(tx, ty) : which == 1 ? rope_f32_v2(tx, ty) : rope_f32x4_pack(tx, ty);
}
extern "C" void lookup(int which, int* index, float* weight, float* out, int n, int rows, int columns) {
    torch::Tensor ti(index, torch::kInt32, {n}), tw(weight, torch::kFloat32, {rows, columns});
    torch::Tensor to(out, torch::kFloat32, {n, columns});
    which == 0   ? embedding_f32(ti, tw, to)
    : which == 1 ? embedding_f32x4(ti, tw, to)
                 : embedding_f32x4_pack(ti, tw, to);
}
extern "C" void times_vector(int which, float* a, float* x, float* y, int m, int k) {
    torch::Tensor ta(a, torch::kFloat32, {m, k}), tx(x, torch::kFloat32, {k, 1}), ty(y, torch::kFloat32, {m, 1});
    which == 0 ? sgemv_k32_f32(ta, tx, ty) : which == 1 ? sgemv_k128_f32x4(ta, tx, ty) : sgemv_k16_f32(ta, tx, ty);
}
