// Neighbouring bytes and halves of a word belong to different threads and blocks.
#include <cuda_runtime.h>

__global__ void bytes(unsigned char* p, int first) {
    __shared__ unsigned char s[48];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    p[blockIdx.x * 48 + t + first] = s[47 - t];
}

__global__ void halves(unsigned short* p) {
    int i = blockIdx.x * 31 + threadIdx.x;
    p[i] = i;
    p[i] += p[i];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    bytes<<<5, 48, 0, stream>>>(reinterpret_cast<unsigned char*>(out), 3);
    halves<<<6, 31, 0, stream>>>(reinterpret_cast<unsigned short*>(ints));
}
