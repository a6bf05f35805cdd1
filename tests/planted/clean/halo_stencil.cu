// Each block loads its elements and one on either side.
#include <cuda_runtime.h>

__global__ void blur(const float* x, float* out, int n) {
    __shared__ float s[130];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t + 1] = i < n ? x[i] : 0;
    if (t == 0) s[0] = i > 0 ? x[i - 1] : 0;
    if (t == 127) s[129] = i + 1 < n ? x[i + 1] : 0;
    __syncthreads();
    if (i < n) out[i] = s[t] + s[t + 1] + s[t + 2];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    blur<<<(n + 127) / 128, 128, 0, stream>>>(x, out, n);
}
