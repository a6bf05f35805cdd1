// expect: shared load out of bounds
#include "../../../csrc/ptx.cuh"

#include <cuda_runtime.h>

// Sixteen rows, and ldmatrix_x4 reads as many as there are lanes.
__global__ void load(const float* x, int* ints) {
    extern __shared__ __align__(16) float rows[];
    int lane = threadIdx.x;
    for (int i = lane; i < 16 * 4; i += 32) rows[i] = x[i];
    __syncthreads();
    uint32_t r[4];
    ldmatrix_x4(r, rows + 4 * lane);  // here
    ints[lane] = int(r[0] ^ r[1] ^ r[2] ^ r[3]);
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    load<<<1, 32, 16 * 16, stream>>>(x, ints);
}
