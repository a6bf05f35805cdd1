// expect: store out of bounds
#include <cuda_runtime.h>

// As many bytes as the array has, and then one pixel (of three) more.
__global__ void paint(unsigned char* pixels, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    for (int channel = 0; channel < 3; ++channel) pixels[3 * i + channel] = channel;  // here
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    paint<<<11, 128, 0, stream>>>(reinterpret_cast<unsigned char*>(out), 4096 / 3 + 1);
}
