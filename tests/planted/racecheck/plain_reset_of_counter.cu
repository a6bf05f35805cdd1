// expect: write after write
#include <cuda_runtime.h>

// Block 0 resets the counter that the other blocks add to.
__global__ void count(const float* x, int* ints) {
    if (blockIdx.x == 3 && threadIdx.x == 0) ints[0] = 0;  // here
    if (x[blockIdx.x * 64 + threadIdx.x] > 0.5f) atomicAdd(&ints[0], 1);  // other
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    count<<<8, 64, 0, stream>>>(x, ints);
}
