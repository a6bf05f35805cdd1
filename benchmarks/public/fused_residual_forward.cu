// Launches the kernels of llm.c's dev/cuda/fused_residual_forward.cu.
#define main their_main
#include "karpathy+llm.c/dev/cuda/fused_residual_forward.cu"
#undef main

extern "C" void run(int kernel, __nv_bfloat16* residual, __nv_bfloat16* normed, __nv_bfloat16* mean,
                    __nv_bfloat16* rstd, const __nv_bfloat16* a, const __nv_bfloat16* b, const __nv_bfloat16* weight,
                    const __nv_bfloat16* bias, int n, int c, int block) {
    cuda_threads_per_SM = 1024, cuda_num_SMs = 2;  // which setup_main() asks the device for
    fused_residual_forward(kernel, residual, normed, mean, rstd, a, b, weight, bias, n, c, block);
}
// The second kernel as its launcher launches it, without the check by which a fault ends the process.
extern "C" void second(__nv_bfloat16* residual, __nv_bfloat16* normed, __nv_bfloat16* mean, __nv_bfloat16* rstd,
                       const __nv_bfloat16* a, const __nv_bfloat16* b, const __nv_bfloat16* weight,
                       const __nv_bfloat16* bias, int n, int c, int block) {
    fused_residual_forward2<<<ceil_div(n, block), block>>>(residual, normed, mean, rstd, a, b, weight, bias, n, c);
}
