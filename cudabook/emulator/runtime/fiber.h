// Stack switching, the one thing the emulator needs that C++ does not have.
// Assembly for x86-64 and AArch64; ucontext elsewhere, or where CUDABOOK_PORTABLE_FIBERS is defined.
#pragma once
#include <cstddef>

namespace cudabook {

// A suspended execution: where its stack pointer was (or, portable, its ucontext_t).
using Suspended = void*;

// Prepares a stack whose first resumption calls `start`, which must never return.
// `top` is one past the highest byte of the stack, aligned to 16; the portable form keeps its context at the top.
Suspended prepare_stack(char* bottom, char* top, void (*start)());

// Suspends the caller into *from and resumes `to`.
extern "C" void cudabook_switch(Suspended* from, Suspended to);

}  // namespace cudabook
