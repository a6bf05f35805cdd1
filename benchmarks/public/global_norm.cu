// Launches the kernels of llm.c's dev/cuda/global_norm.cu.
#define main their_main
#include "karpathy+llm.c/dev/cuda/global_norm.cu"
#undef main

extern "C" void run(int kernel, float* out, const __nv_bfloat16* values, int n, int block) {
    deviceProp.maxThreadsPerMultiProcessor = cuda_threads_per_SM = 1024;  // main() asks the device for them
    deviceProp.multiProcessorCount = cuda_num_SMs = 2;
    global_norm(kernel, out, values, n, block);
}
