// Launches cuda-samples' copies and transposes.
#define main their_main
#include "NVIDIA+cuda-samples/Samples/6_Performance/transpose/transpose.cu"
#undef main

extern "C" void run(int which, float* out, float* in, int width, int height) {
    decltype(&copy) kernels[] = {copy,
                                 copySharedMem,
                                 transposeNaive,
                                 transposeCoalesced,
                                 transposeNoBankConflicts,
                                 transposeDiagonal,
                                 transposeFineGrained,
                                 transposeCoarseGrained};
    dim3 grid(width / TILE_DIM, height / TILE_DIM), threads(TILE_DIM, BLOCK_ROWS);
    kernels[which]<<<grid, threads>>>(out, in, width, height);
}
