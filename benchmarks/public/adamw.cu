// Launches the kernels of llm.c's dev/cuda/adamw.cu.
#define main their_main
#include "karpathy+llm.c/dev/cuda/adamw.cu"
#undef main

extern "C" void run(int kernel, float* params, const float* grads, float* m, float* v, int t, int n, float lr,
                    float beta1, float beta2, float eps, float decay) {
    adamw(kernel, params, grads, m, v, t, n, lr, beta1, beta2, eps, decay);
}
