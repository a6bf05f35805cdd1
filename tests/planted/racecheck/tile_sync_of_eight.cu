// expect: read after write
#include <cuda_runtime.h>

// The tile has eight threads, the values come from the next tile.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void next(const float* x, float* out) {
    __shared__ float s[64];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int t = threadIdx.x;
    s[t] = x[t];  // other
    tile.sync();
    float v = s[(t + 8) % 64];  // here
    out[t] = v;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) { next<<<1, 64, 0, stream>>>(x, out); }
