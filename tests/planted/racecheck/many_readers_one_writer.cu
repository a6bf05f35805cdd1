// expect: write after read
#include <cuda_runtime.h>

// All warps read element 5 again and again; thread 5 changes it in between.
__global__ void spread(const float* x, float* out) {
    __shared__ float s[160];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 4; ++k) sum += s[5 + k * 0];  // other
    __syncwarp();
    if (t == 5) s[5] = sum;  // here
    out[t] = sum;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    spread<<<1, 160, 0, stream>>>(x, out);
}
