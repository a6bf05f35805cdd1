// Launches the kernels of llm.c's dev/cuda/gelu_backward.cu.
#define main their_main
#include "karpathy+llm.c/dev/cuda/gelu_backward.cu"
#undef main

extern "C" void run(int kernel, __nv_bfloat16* dinp, const __nv_bfloat16* inp, const __nv_bfloat16* dout, int b, int t,
                    int c, int block) {
    gelu_backward(kernel, dinp, inp, dout, b, t, c, block);
}
