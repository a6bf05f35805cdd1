// expect: misaligned access
#include <cuda_runtime.h>

// An int is read at any byte of the text.
__global__ void find(const unsigned char* text, int* ints, int bytes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 4 > bytes) return;
    int word = *reinterpret_cast<const int*>(text + i);  // here
    if (word == 0x3f800000) ints[i % 1024] = 1;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    find<<<4, 64, 0, stream>>>(reinterpret_cast<const unsigned char*>(x), ints, 4096);
}
