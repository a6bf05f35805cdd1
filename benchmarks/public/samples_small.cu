// Launches kernels of cuda-samples that stand in headers.
#include <helper_cuda.h>

#include "NVIDIA+cuda-samples/Samples/0_Introduction/simpleVoteIntrinsics/simpleVote_kernel.cuh"
#include "NVIDIA+cuda-samples/Samples/2_Concepts_and_Techniques/scalarProd/scalarProd_kernel.cuh"
#include "NVIDIA+cuda-samples/Samples/5_Domain_Specific/BlackScholes/BlackScholes_kernel.cuh"
#include "NVIDIA+cuda-samples/Samples/5_Domain_Specific/fastWalshTransform/fastWalshTransform_kernel.cuh"

extern "C" void scalar_products(float* out, float* a, float* b, int vectors, int elements) {
    scalarProdGPU<<<2, 128>>>(out, a, b, vectors, elements);
}
extern "C" void walsh(float* data, int count, int log2) { fwtBatchGPU(data, count, log2); }
extern "C" void modulate(float* a, float* b, int n) { modulateGPU(a, b, n); }
extern "C" void black_scholes(float* call, float* put, float* price, float* strike, float* years, float rate,
                              float volatility, int n) {
    auto pairs = [](float* p) { return reinterpret_cast<float2*>(p); };
    BlackScholesGPU<<<(n / 2 + 127) / 128, 128>>>(pairs(call), pairs(put), pairs(price), pairs(strike), pairs(years),
                                                  rate, volatility, n);
}
extern "C" void vote(int all, int* in, int* out, int n) {
    auto words = [](int* p) { return reinterpret_cast<unsigned*>(p); };
    if (all) VoteAllKernel2<<<1, n>>>(words(in), words(out), n);
    else VoteAnyKernel1<<<1, n>>>(words(in), words(out), n);
}
