// expect: unreachable barrier
#include <cuda_runtime.h>

// Only one case has a barrier.
__global__ void roles(const float* x, float* out) {
    __shared__ float s[3];
    int t = threadIdx.x;
    switch (t / 32) {
        case 0: out[t] = x[t]; break;
        case 1:
            if (t == 32) s[0] = x[0];
            __syncthreads();  // here
            out[t] = s[0];
            break;
        default: out[t] = 0;
    }
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    roles<<<1, 80, 0, stream>>>(x, out);
}
