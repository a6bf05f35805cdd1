// Launches the softmax kernels of llm.c's dev/cuda/attention_backward.cu.
#define main their_main
#include "karpathy+llm.c/dev/cuda/attention_backward.cu"
#undef main

extern "C" void run(int kernel, float* dpreatt, float* datt, const float* att, int b, int t, int c, int nh, int block) {
    decltype(&launch_softmax_1) versions[] = {launch_softmax_1, launch_softmax_2, launch_softmax_3, launch_softmax_4,
                                              launch_softmax_5, launch_softmax_6, launch_softmax_7, launch_softmax_8};
    versions[kernel - 1](dpreatt, datt, att, b, t, c, nh, block);
}
extern "C" void softmax(float* out, float scale, const float* inp, int n, int t, int block) {
    softmax_forward_kernel5<<<ceil_div(n * t * 32, block), block>>>(out, scale, inp, n, t);
}
