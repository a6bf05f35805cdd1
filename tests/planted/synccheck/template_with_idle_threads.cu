// expect: unreachable barrier
#include <cuda_runtime.h>

// More threads than the template needs: the idle ones return.
template <int USED>
__global__ void reverse(const double* x, double* out) {
    __shared__ double s[USED];
    int t = threadIdx.x;
    if (t >= USED) return;
    s[t] = x[t];
    __syncthreads();  // here
    out[t] = s[USED - 1 - t];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    reverse<100><<<1, 128, 0, stream>>>(reinterpret_cast<const double*>(x), reinterpret_cast<double*>(out));
}
