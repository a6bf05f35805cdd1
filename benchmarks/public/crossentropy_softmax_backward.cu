// Launches the kernel of llm.c's dev/cuda/crossentropy_softmax_backward.cu.
#define main their_main
#include "karpathy+llm.c/dev/cuda/crossentropy_softmax_backward.cu"
#undef main

extern "C" void run(int kernel, float* dlogits, const float* dlosses, const float* probs, const int* targets, int b,
                    int t, int v, int block) {
    crossentropy_softmax_backward(kernel, dlogits, dlosses, probs, targets, b, t, v, block);
}
