// Launches the kernels of llm.c's dev/cuda/encoder_backward.cu.
#define main their_main
#include "karpathy+llm.c/dev/cuda/encoder_backward.cu"
#undef main

extern "C" void run(int kernel, float* dwte, float* dwpe, const float* dout, const int* inp, int b, int t, int c,
                    int block) {
    encoder_backward(kernel, dwte, dwpe, dout, inp, b, t, c, block);
}
