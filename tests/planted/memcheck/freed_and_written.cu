// expect: use after free
#include <cuda_runtime.h>

// A pointer that is kept in a struct outlives its memory.
struct Buffer {
    int* data;
    int size;
};

__global__ void number(Buffer buffer) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < buffer.size) buffer.data[i] = i;  // here
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    Buffer buffer{nullptr, n};
    cudaMalloc(&buffer.data, n * sizeof(int));
    number<<<4, 256, 0, stream>>>(buffer);
    cudaFree(buffer.data);
    number<<<4, 256, 0, stream>>>(buffer);
}
