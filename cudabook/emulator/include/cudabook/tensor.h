// Instructions that the 32 lanes of a warp execute as one, and cp.async: what ptx.h and mma.h are made of. Implemented
// in runtime/tensor.cpp.
#pragma once
#include "launch.h"

// Inlined, so that the call is one of the kernel's lines.
#define CUDABOOK_INLINE inline __attribute__((always_inline))

namespace cudabook {

// An instruction by its name, and where it stands.
struct Instruction {
    const char *name, *file;
    int line;
};

// `count` 8x8 matrices of 16-bit elements into a register each. `row` is this lane's address.
void ldmatrix(uint32_t* r, const void* row, unsigned count, bool transposed, const Instruction& at);

// d[16][8] += a[16][k] * b[k][8] with the fragments of PTX's mma.m16n8k*: k is 16 or 8 for the 16-bit types, 8 for
// tf32. The products are exact; they are added to d in the order of k, each sum rounded to float. (A tensor core adds
// several products at once and cuts off what lies below the largest of them: the last bits can differ.)
enum class Operand { half, bfloat16, tf32 };
void mma(float* d, const uint32_t* a, const uint32_t* b, Operand type, unsigned k, const Instruction& at);

// A matrix that all lanes are about to load or store: wmma wants it aligned to 32 bytes, and rows of whole 16 bytes.
void matrix_access(const void* matrix, unsigned ldm, size_t element, const Instruction& at);

void cp_async(void* to, const void* from, unsigned bytes, int from_bytes, const Instruction& at);

// To nearest, ties away from zero.
inline uint32_t to_tf32(float x) {
    uint32_t bits;
    __builtin_memcpy(&bits, &x, 4);
    return x != x ? 0x7fffffff : (bits + 0x1000) & ~0x1fffu;
}

}  // namespace cudabook
