// Stands in for csrc/ptx.cuh (see translate.py): the same functions, without inline PTX.
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_pipeline.h"
#include "tensor.h"

#define CUDABOOK_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

#define CUDABOOK_LDMATRIX(name, count, transposed)                                                    \
    CUDABOOK_INLINE void name(uint32_t (&r)[count], const void* smem_row, CUDABOOK_HERE) {            \
        cudabook::ldmatrix(r, smem_row, count, transposed, cudabook::Instruction{#name, file, line}); \
    }
CUDABOOK_LDMATRIX(ldmatrix_x4, 4, false)
CUDABOOK_LDMATRIX(ldmatrix_x4_trans, 4, true)
CUDABOOK_LDMATRIX(ldmatrix_x2, 2, false)
CUDABOOK_LDMATRIX(ldmatrix_x2_trans, 2, true)
#undef CUDABOOK_LDMATRIX

namespace cudabook {
template <typename T>
constexpr Operand operand_of() {
    static_assert(std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>,
                  "mma multiplies __half or __nv_bfloat16 here");
    return std::is_same_v<T, __half> ? Operand::half : Operand::bfloat16;
}
}  // namespace cudabook

template <typename T>
CUDABOOK_INLINE void mma_m16n8k16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2], CUDABOOK_HERE) {
    cudabook::mma(d, a, b, cudabook::operand_of<T>(), 16, {"mma_m16n8k16", file, line});
}
template <typename T>
CUDABOOK_INLINE void mma_m16n8k8(float (&d)[4], const uint32_t (&a)[2], const uint32_t (&b)[1], CUDABOOK_HERE) {
    cudabook::mma(d, a, b, cudabook::operand_of<T>(), 8, {"mma_m16n8k8", file, line});
}
CUDABOOK_INLINE void mma_m16n8k8_tf32(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2], CUDABOOK_HERE) {
    cudabook::mma(d, a, b, cudabook::Operand::tf32, 8, {"mma_m16n8k8_tf32", file, line});
}
CUDABOOK_INLINE uint32_t to_tf32(float x) { return cudabook::to_tf32(x); }

template <int BYTES>
CUDABOOK_INLINE void cp_async(void* smem, const void* global, int from_bytes = BYTES, CUDABOOK_HERE) {
    static_assert(BYTES == 4 || BYTES == 8 || BYTES == 16, "cp.async copies 4, 8 or 16 bytes");
    cudabook::cp_async(smem, global, BYTES, from_bytes, {"cp_async", file, line});
}
inline void cp_async_commit() { cudabook::async_commit(); }
template <int GROUPS_LEFT>
void cp_async_wait() {
    cudabook::async_wait(GROUPS_LEFT);
}
#undef CUDABOOK_HERE
