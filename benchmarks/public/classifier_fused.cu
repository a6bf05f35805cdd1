// Launches the kernels of llm.c's dev/cuda/classifier_fused.cu.
#define main their_main
#include "karpathy+llm.c/dev/cuda/classifier_fused.cu"
#undef main

extern "C" void run(int kernel, float* dlogits, float* losses, const float* logits, const float* dlosses,
                    const int* targets, int b, int t, int v, int p, int block) {
    fused_classifier(kernel, dlogits, losses, logits, dlosses, targets, b, t, v, p, block);
}
