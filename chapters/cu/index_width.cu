// The global index of one block, in 32 and in 64 bits.
#include <cstdint>

#include <cuda_runtime.h>

// [kernel]
// narrow, wide: [blockDim.x]
__global__ void index_kernel(int* narrow, int64_t* wide, int block) {
    narrow[threadIdx.x] = block * blockDim.x + threadIdx.x;
    wide[threadIdx.x] = int64_t(block) * blockDim.x + threadIdx.x;
}
// [/kernel]

extern "C" void index(int* narrow, int64_t* wide, int block, int threads,
                      cudaStream_t stream) {
    index_kernel<<<1, threads, 0, stream>>>(narrow, wide, block);
}
