// csrc/reduce's kernels without their launchers: blocks of any size.
#include "../../csrc/reduce/block_sum.cuh"
#include "../../csrc/reduce/convert.cuh"

#include <algorithm>

namespace v2 {
#include "../../csrc/reduce/v2_shared_tree.cu"
}
namespace v3 {
#include "../../csrc/reduce/v3_warp_shuffle.cu"
}
namespace v4 {
#include "../../csrc/reduce/v4_one_launch.cu"
}

// sum: [1], zero before
extern "C" void tree(const float* a, float* sum, int n, int threads, cudaStream_t stream) {
    v2::reduce_kernel<<<(n + threads - 1) / threads, threads, threads * sizeof(float), stream>>>(a, sum, n);
}
extern "C" void shuffle(const float* a, float* sum, int n, int threads, cudaStream_t stream) {
    v3::reduce_kernel<<<(n + threads - 1) / threads, threads, 0, stream>>>(a, sum, n);
}
// partial: [blocks]; counter: [1], zero before
extern "C" void one_launch(const float* a, float* out, float* partial, int* counter, int n, int threads, int blocks,
                           cudaStream_t stream) {
    auto* count = reinterpret_cast<unsigned*>(counter);
    v4::reduce_kernel<<<blocks, threads, 0, stream>>>(a, out, partial, count, n, 0);
}
