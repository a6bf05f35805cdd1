// Launches the kernels of llm.c's dev/cuda/matmul_backward_bias.cu.
#define main their_main
#include "karpathy+llm.c/dev/cuda/matmul_backward_bias.cu"
#undef main

extern "C" void run(int kernel, __nv_bfloat16* dbias, __nv_bfloat16* dout, int b, int t, int oc, int block) {
    cuda_threads_per_SM = 1024, cuda_num_SMs = 2;  // which setup_main() asks the device for
    cudaMalloc(&dbias_buffer, sizeof(float) * oc * 32);  // as main() does
    matmul_backward_bias(kernel, dbias, dout, b, t, oc, block);
    cudaFree(dbias_buffer);
}
