// Structs of three bytes, of three and of four floats, and two floats at odd places.
#include <cuda_runtime.h>

struct Pixel {
    unsigned char r, g, b;
};
struct Quad {
    float a, b, c, d;
};
struct Pair {
    float a, b;
};

__global__ void swap(const Pixel* from, Pixel* to, int pixels) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels) return;
    Pixel p = from[i];
    to[i] = Pixel{p.b, p.g, p.r};
}

__global__ void copies(const float* x, float* out) {
    __shared__ Quad s[32];
    __shared__ float3 three[32];
    int t = threadIdx.x;
    s[t] = reinterpret_cast<const Quad*>(x + 1)[t];
    three[t] = reinterpret_cast<const float3*>(x + 200)[t];
    __syncthreads();
    reinterpret_cast<Quad*>(out + 3)[t] = s[31 - t];
    reinterpret_cast<Pair*>(out + 201)[t] = Pair{three[31 - t].x, three[31 - t].z};
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    swap<<<2, 50, 0, stream>>>(reinterpret_cast<const Pixel*>(x), reinterpret_cast<Pixel*>(ints), 100);
    copies<<<1, 32, 0, stream>>>(x, out);
}
