// Two tiles in turn need one barrier a round.
#include <cuda_runtime.h>

template <int WIDTH>
__global__ void column_sums(const float* x, float* out) {
    __shared__ float tile[2][WIDTH];
    int t = threadIdx.x;
    float sum = 0;
    tile[0][t] = x[t];
    for (int k = 0; k < 1024 / WIDTH; ++k) {
        __syncthreads();
        if (k + 1 < 1024 / WIDTH) tile[(k + 1) % 2][t] = x[(k + 1) * WIDTH + t];
        sum += tile[k % 2][WIDTH - 1 - t];
    }
    out[t] = sum;
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    column_sums<128><<<1, 128, 0, stream>>>(x, out);
}
