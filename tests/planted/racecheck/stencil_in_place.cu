// expect: write after read
#include <cuda_runtime.h>

// In place within one block, in global memory, without a barrier between reading and writing.
__global__ void relax(float* data, int width) {
    int c = threadIdx.x + 1, r = threadIdx.y + 1;
    float below = data[(r + 1) * width + c];  // other
    data[r * width + c] = below;  // here
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    cudaMemcpy(out, x, 1024 * sizeof(float), cudaMemcpyDeviceToDevice);
    relax<<<1, dim3(30, 30), 0, stream>>>(out, 32);
}
