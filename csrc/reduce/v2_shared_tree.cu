// A block adds up its elements in shared memory, by halves; one atomic a block.
#include "convert.cuh"

namespace {

constexpr int THREADS = 256;

// [kernel]
template <typename T>
__global__ void reduce_kernel(const T* __restrict__ a,  // [n]
                              Compute<T>* sum, int64_t n) {
    extern __shared__ char memory[];
    auto* sums = reinterpret_cast<Compute<T>*>(memory);  // [blockDim.x]
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    sums[threadIdx.x] = i < n ? widen(a[i]) : 0;
    // Of an odd number of sums the one in the middle waits for the next round.
    for (int size = blockDim.x; size > 1; size = (size + 1) / 2) {
        __syncthreads();
        if (threadIdx.x < size / 2)
            sums[threadIdx.x] += sums[threadIdx.x + (size + 1) / 2];
    }
    if (threadIdx.x == 0) atomicAdd(sum, sums[0]);
}
// [/kernel]

}  // namespace

// [launcher]
template <typename T>
cudaError_t reduce_v2(const T* a, Compute<T>* sum, int64_t n, cudaStream_t stream) {
    if (cudaError_t error = cudaMemsetAsync(sum, 0, sizeof(*sum), stream))
        return error;
    int64_t blocks = (n + THREADS - 1) / THREADS;
    reduce_kernel<<<blocks, THREADS, THREADS * sizeof(*sum), stream>>>(a, sum, n);
    return cudaGetLastError();
}
// [/launcher]

template cudaError_t reduce_v2(const float*, float*, int64_t, cudaStream_t);
template cudaError_t reduce_v2(const double*, double*, int64_t, cudaStream_t);
template cudaError_t reduce_v2(const __half*, float*, int64_t, cudaStream_t);
template cudaError_t reduce_v2(const __nv_bfloat16*, float*, int64_t, cudaStream_t);
