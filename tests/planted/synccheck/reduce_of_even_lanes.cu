// expect: bad warp mask
#include <cuda_runtime.h>

// The mask of the even lanes, called by the odd ones too.
__global__ void even(const float* x, int* ints) {
    int t = threadIdx.x;
    ints[t] = __reduce_add_sync(0x55555555u, int(x[t] * 100));  // here
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    even<<<2, 96, 0, stream>>>(x, ints);
}
