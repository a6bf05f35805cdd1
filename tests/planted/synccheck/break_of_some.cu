// expect: unreachable barrier
#include <cuda_runtime.h>

// Who has found its value leaves the loop; the rest waits at the barrier.
__global__ void search(const float* x, int* ints) {
    int t = threadIdx.x, found = -1;
    for (int k = 0; k < 8; ++k) {
        if (k == t % 8) {
            found = k;
            break;
        }
        __syncthreads();  // here
    }
    ints[t] = found + int(x[t]);
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    search<<<1, 64, 0, stream>>>(x, ints);
}
