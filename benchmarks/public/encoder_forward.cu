// Launches the kernels of llm.c's dev/cuda/encoder_forward.cu.
#define main their_main
#include "karpathy+llm.c/dev/cuda/encoder_forward.cu"
#undef main

extern "C" void run(int kernel, __nv_bfloat16* out, const int* inp, const __nv_bfloat16* wte, const __nv_bfloat16* wpe,
                    int b, int t, int c, int block) {
    encoder_forward(kernel, out, inp, wte, wpe, b, t, c, block);
}
