// Places in a list by one atomic a warp, found by a vote.
#include <cuda_runtime.h>

__global__ void compact(const float* x, float* out, int* ints, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    bool wanted = i < n && x[i] > 0.5f;
    unsigned votes = __ballot_sync(0xffffffffu, wanted);
    int first = 0;
    if (lane == 0 && votes) first = atomicAdd(&ints[0], __popc(votes));
    first = __shfl_sync(0xffffffffu, first, 0);
    if (wanted) out[first + __popc(votes & ((1u << lane) - 1))] = x[i];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    compact<<<8, 128, 0, stream>>>(x, out, ints, n);
}
