// expect: read before the wait
#include "../../../csrc/ptx.cuh"

#include <cuda_runtime.h>

// Two stages, and the wait leaves one more group open than may be: the one that ldmatrix reads.
__global__ void load(const float* x, int* ints) {
    __shared__ __align__(16) float tile[2][32 * 4];
    int lane = threadIdx.x, sum = 0;
    for (int step = 0; step < 4; ++step) {
        cp_async<16>(tile[step % 2] + 4 * lane, x + 128 * step + 4 * lane);  // other
        cp_async_commit();
        cp_async_wait<1>();
        __syncthreads();
        uint32_t r[4];
        ldmatrix_x4(r, tile[step % 2] + 4 * lane);  // here
        sum += int(r[0] ^ r[1] ^ r[2] ^ r[3]);
        __syncthreads();
    }
    ints[lane] = sum;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) { load<<<1, 32, 0, stream>>>(x, ints); }
