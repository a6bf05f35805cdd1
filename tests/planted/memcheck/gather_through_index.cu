// expect: load out of bounds
#include <cuda_runtime.h>

// The indices are made without a look at how many rows there are.
__global__ void gather(const float* rows, const int* index, float* out, int columns) {
    int r = threadIdx.z, c = threadIdx.y * blockDim.x + threadIdx.x;
    int from = index[r] + 33 * r;
    out[r * columns + c] = rows[from * columns + c];  // here
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    gather<<<1, dim3(4, 4, 5), 0, stream>>>(x, ints, out, 16);
}
