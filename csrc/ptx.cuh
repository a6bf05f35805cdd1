// Tensor-core and copy instructions that CUDA C++ has no function for: the one
// place with inline PTX. Lane layouts: PTX ISA, "Matrix Fragments for mma".
#pragma once
#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#error "ptx.cuh needs compute capability 8.0: compile for sm_80 or later."
#endif

// [ldmatrix]
// 8x8 matrices of 16-bit elements from shared memory. Lane l gives the address of
// row l % 8 of matrix l / 8: 16 bytes, aligned to 16. Of matrix i, lane l gets in
// r[i] the elements 2 * (l % 4) and the next one of row l / 4; _trans: of column
// l / 4. x2 takes its addresses from lanes 0 to 15.
__device__ inline void ldmatrix_x4(uint32_t (&r)[4], const void* smem_row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(uint32_t(__cvta_generic_to_shared(smem_row)))
                 : "memory");
}
__device__ inline void ldmatrix_x4_trans(uint32_t (&r)[4], const void* smem_row) {
    asm volatile(
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
        : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
        : "r"(uint32_t(__cvta_generic_to_shared(smem_row)))
        : "memory");
}
__device__ inline void ldmatrix_x2(uint32_t (&r)[2], const void* smem_row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(uint32_t(__cvta_generic_to_shared(smem_row)))
                 : "memory");
}
__device__ inline void ldmatrix_x2_trans(uint32_t (&r)[2], const void* smem_row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(uint32_t(__cvta_generic_to_shared(smem_row)))
                 : "memory");
}
// [/ldmatrix]

// [mma]
// d[16][8] += a[16][k] * b[k][8], by all lanes of a warp. T is __half or
// __nv_bfloat16, two elements a register, the lower one first. With g = lane / 4
// and t = lane % 4 a lane holds
//   a[0], a[1]: rows g, g + 8, columns 2t and 2t + 1; a[2], a[3]: columns + 8
//   b[0]: rows 2t and 2t + 1, column g; b[1]: rows + 8
//   d[0], d[1]: row g, columns 2t, 2t + 1; d[2], d[3]: row g + 8
template <typename T>
__device__ inline void mma_m16n8k16(float (&d)[4], const uint32_t (&a)[4],
                                    const uint32_t (&b)[2]);

template <>
__device__ inline void mma_m16n8k16<__half>(float (&d)[4], const uint32_t (&a)[4],
                                            const uint32_t (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
template <>
__device__ inline void mma_m16n8k16<__nv_bfloat16>(float (&d)[4],
                                                   const uint32_t (&a)[4],
                                                   const uint32_t (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
// [/mma]

// With half of k: a[0], a[1] and b[0] of the above.
template <typename T>
__device__ inline void mma_m16n8k8(float (&d)[4], const uint32_t (&a)[2],
                                   const uint32_t (&b)[1]);

template <>
__device__ inline void mma_m16n8k8<__half>(float (&d)[4], const uint32_t (&a)[2],
                                           const uint32_t (&b)[1]) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}
template <>
__device__ inline void mma_m16n8k8<__nv_bfloat16>(float (&d)[4],
                                                  const uint32_t (&a)[2],
                                                  const uint32_t (&b)[1]) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}

// tf32, one element a register: a float whose last 13 bits the tensor core ignores.
//   a[0], a[1]: rows g, g + 8, column t; a[2], a[3]: column t + 4
//   b[0], b[1]: rows t, t + 4, column g
__device__ inline void mma_m16n8k8_tf32(float (&d)[4], const uint32_t (&a)[4],
                                        const uint32_t (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
// Rounded to nearest, ties away from zero.
__device__ inline uint32_t to_tf32(float x) {
    uint32_t rounded;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(x));
    return rounded;
}

// [cp_async]
// Starts a copy from global to shared memory past the registers: BYTES of 4, 8 or
// 16, both addresses aligned to it. Only the first from_bytes are read; the rest
// becomes zero. 16 bytes pass by L1 as well.
template <int BYTES>
__device__ inline void cp_async(void* smem, const void* global,
                                int from_bytes = BYTES) {
    static_assert(BYTES == 4 || BYTES == 8 || BYTES == 16,
                  "cp.async copies 4, 8 or 16 bytes");
    if constexpr (BYTES == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                     :
                     : "r"(uint32_t(__cvta_generic_to_shared(smem))),
                       "l"(__cvta_generic_to_global(global)), "r"(from_bytes)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;"
                     :
                     : "r"(uint32_t(__cvta_generic_to_shared(smem))),
                       "l"(__cvta_generic_to_global(global)), "n"(BYTES),
                       "r"(from_bytes)
                     : "memory");
}
// The copies that this thread started since its last commit are a group.
__device__ inline void cp_async_commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
// Waits until of this thread's groups only the last GROUPS_LEFT are under way.
// Other threads see the data after a barrier behind the wait.
template <int GROUPS_LEFT>
__device__ inline void cp_async_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(GROUPS_LEFT) : "memory");
}
// [/cp_async]
