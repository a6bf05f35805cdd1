// Each block reads its share of the whole, 16 bytes an access and several on their
// way; the last block to end adds up the partial sums, always in the same order.
#include "block_sum.cuh"
#include "convert.cuh"

#include <algorithm>

namespace {

constexpr int THREADS = 256;
constexpr int DEPTH = 4;  // vectors that a thread has on their way at once
constexpr int BLOCKS_PER_SM = 6;  // as many as fit: all blocks run from the start

// [share]
template <typename T>
struct alignas(16) Vector {
    static constexpr int SIZE = 16 / sizeof(T);
    T element[SIZE];
};

// The sum of what this thread reads. The vectors start at element `head`, the first
// whose address is a multiple of 16; a few elements lie before them and behind.
template <typename T>
__device__ Compute<T> share(const T* __restrict__ a,  // [n]
                            int64_t n, int64_t head) {
    constexpr int SIZE = Vector<T>::SIZE;
    int64_t stride = int64_t(gridDim.x) * blockDim.x;
    int64_t first = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    int64_t vectors = (n - head) / SIZE, tail = head + vectors * SIZE;
    auto* a_vec = reinterpret_cast<const Vector<T>*>(a + head);
    Compute<T> sums[SIZE] = {};
    int64_t i = first;
    for (; i + (DEPTH - 1) * stride < vectors; i += DEPTH * stride) {
        Vector<T> v[DEPTH];
#pragma unroll
        for (int d = 0; d < DEPTH; ++d) v[d] = a_vec[i + d * stride];
#pragma unroll
        for (int d = 0; d < DEPTH; ++d)
#pragma unroll
            for (int k = 0; k < SIZE; ++k) sums[k] += widen(v[d].element[k]);
    }
#pragma unroll 1
    for (; i < vectors; i += stride) {
        Vector<T> v = a_vec[i];
#pragma unroll
        for (int k = 0; k < SIZE; ++k) sums[k] += widen(v.element[k]);
    }
#pragma unroll 1
    for (i = first; i < head + (n - tail); i += stride)
        sums[0] += widen(a[i < head ? i : tail + (i - head)]);
    Compute<T> sum = 0;
#pragma unroll
    for (int k = 0; k < SIZE; ++k) sum += sums[k];
    return sum;
}
// [/share]

// [kernel]
template <typename T>
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    reduce_kernel(const T* __restrict__ a,  // [n]
                  T* __restrict__ out, Compute<T>* partial,  // [gridDim.x]
                  unsigned* counter, int64_t n, int64_t head) {
    Compute<T> sum = block_sum(share(a, n, head));
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();  // whoever sees the count sees the sum
        last = atomicAdd(counter, 1) == gridDim.x - 1;
        __threadfence();  // and reads the others' sums after the count
    }
    __syncthreads();
    if (!last) return;
    sum = 0;
    for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += partial[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) *out = narrow<T>(sum);
}
// [/kernel]

}  // namespace

// [blocks]
template <typename T>
cudaError_t reduce_blocks(int64_t n, int64_t* blocks) {
    int device, sms;
    if (cudaError_t error = cudaGetDevice(&device)) return error;
    if (cudaError_t error =
            cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device))
        return error;
    constexpr int64_t ELEMENTS = THREADS * DEPTH * Vector<T>::SIZE;
    *blocks = std::min<int64_t>((n + ELEMENTS - 1) / ELEMENTS, sms * BLOCKS_PER_SM);
    return cudaSuccess;
}
// [/blocks]

// [launcher]
template <typename T>
cudaError_t reduce_v4(const T* a, T* out, Compute<T>* partial, unsigned* counter,
                      int64_t n, cudaStream_t stream) {
    int64_t blocks;
    if (cudaError_t error = reduce_blocks<T>(n, &blocks)) return error;
    if (cudaError_t error = cudaMemsetAsync(counter, 0, sizeof(*counter), stream))
        return error;
    uintptr_t misaligned = reinterpret_cast<uintptr_t>(a) % 16;
    int64_t head = std::min<int64_t>(n, (16 - misaligned) % 16 / sizeof(T));
    reduce_kernel<<<blocks, THREADS, 0, stream>>>(a, out, partial, counter, n,
                                                  head);
    return cudaGetLastError();
}
// [/launcher]

#define INSTANTIATE(T)                                                            \
    template cudaError_t reduce_blocks<T>(int64_t, int64_t*);                     \
    template cudaError_t reduce_v4(const T*, T*, Compute<T>*, unsigned*, int64_t, \
                                   cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(__half)
INSTANTIATE(__nv_bfloat16)
