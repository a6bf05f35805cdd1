// Launches the kernels of llm.c's dev/cuda/gelu_forward.cu.
#define main their_main
#include "karpathy+llm.c/dev/cuda/gelu_forward.cu"
#undef main

extern "C" void run(int kernel, __nv_bfloat16* out, const __nv_bfloat16* inp, int b, int t, int c, int block) {
    gelu_forward(kernel, out, inp, b, t, c, block);
}
