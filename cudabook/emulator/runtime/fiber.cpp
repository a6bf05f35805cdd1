#include "fiber.h"

#include <cstdint>

#if !defined(CUDABOOK_PORTABLE_FIBERS) && defined(__x86_64__)

// The System V ABI makes the callee save rbx, rbp and r12-r15; the rest is dead across a call.
asm(R"(
.text
.globl cudabook_switch
.hidden cudabook_switch
.type cudabook_switch, @function
cudabook_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq  %rsp, (%rdi)
    movq  %rsi, %rsp
    popq  %r15
    popq  %r14
    popq  %r13
    popq  %r12
    popq  %rbx
    popq  %rbp
    ret
.size cudabook_switch, .-cudabook_switch
)");

cudabook::Suspended cudabook::prepare_stack(char*, char* top, void (*start)()) {
    auto* sp = reinterpret_cast<uintptr_t*>(top);
    *--sp = 0;                                   // the return address of `start`: none, and 16-byte alignment
    *--sp = reinterpret_cast<uintptr_t>(start);  // where `ret` goes
    for (int i = 0; i < 6; ++i) *--sp = 0;
    return sp;
}

#elif !defined(CUDABOOK_PORTABLE_FIBERS) && defined(__aarch64__)

// AAPCS64: the callee saves x19-x30 and the low halves of v8-v15.
asm(R"(
.text
.globl cudabook_switch
.hidden cudabook_switch
.type cudabook_switch, %function
cudabook_switch:
    sub  sp, sp, #160
    stp  x19, x20, [sp, #0]
    stp  x21, x22, [sp, #16]
    stp  x23, x24, [sp, #32]
    stp  x25, x26, [sp, #48]
    stp  x27, x28, [sp, #64]
    stp  x29, x30, [sp, #80]
    stp  d8,  d9,  [sp, #96]
    stp  d10, d11, [sp, #112]
    stp  d12, d13, [sp, #128]
    stp  d14, d15, [sp, #144]
    mov  x9, sp
    str  x9, [x0]
    mov  sp, x1
    ldp  x19, x20, [sp, #0]
    ldp  x21, x22, [sp, #16]
    ldp  x23, x24, [sp, #32]
    ldp  x25, x26, [sp, #48]
    ldp  x27, x28, [sp, #64]
    ldp  x29, x30, [sp, #80]
    ldp  d8,  d9,  [sp, #96]
    ldp  d10, d11, [sp, #112]
    ldp  d12, d13, [sp, #128]
    ldp  d14, d15, [sp, #144]
    add  sp, sp, #160
    ret
.size cudabook_switch, .-cudabook_switch
)");

cudabook::Suspended cudabook::prepare_stack(char*, char* top, void (*start)()) {
    auto* sp = reinterpret_cast<uintptr_t*>(top) - 20;
    for (int i = 0; i < 20; ++i) sp[i] = 0;
    sp[11] = reinterpret_cast<uintptr_t>(start);  // x30, the link register
    return sp;
}

#else

#include <new>
#include <ucontext.h>

namespace {
thread_local ucontext_t* running = nullptr;  // null while the OS thread is on its own stack
}

extern "C" void cudabook_switch(cudabook::Suspended* from, cudabook::Suspended to) {
    ucontext_t own{};
    ucontext_t* here = running ? running : &own;
    *from = here;
    ucontext_t* there = static_cast<ucontext_t*>(to);
    running = there->uc_stack.ss_sp ? there : nullptr;
    swapcontext(here, there);
}

cudabook::Suspended cudabook::prepare_stack(char* bottom, char* top, void (*start)()) {
    auto* context = new (top - (sizeof(ucontext_t) + 63) / 64 * 64) ucontext_t;
    getcontext(context);
    context->uc_stack.ss_sp = bottom;
    context->uc_stack.ss_size = reinterpret_cast<char*>(context) - bottom;
    context->uc_link = nullptr;
    makecontext(context, start, 0);
    return context;
}

#endif
