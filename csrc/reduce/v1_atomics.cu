// One atomic addition an element: all threads queue for one address.
#include "convert.cuh"

namespace {

constexpr int THREADS = 256;

// [kernel]
template <typename T>
__global__ void reduce_kernel(const T* __restrict__ a,  // [n]
                              Compute<T>* sum, int64_t n) {
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, widen(a[i]));
}
// [/kernel]

}  // namespace

// [launcher]
template <typename T>
cudaError_t reduce_v1(const T* a, Compute<T>* sum, int64_t n, cudaStream_t stream) {
    if (cudaError_t error = cudaMemsetAsync(sum, 0, sizeof(*sum), stream))
        return error;
    int64_t blocks = (n + THREADS - 1) / THREADS;
    reduce_kernel<<<blocks, THREADS, 0, stream>>>(a, sum, n);
    return cudaGetLastError();
}
// [/launcher]

template cudaError_t reduce_v1(const float*, float*, int64_t, cudaStream_t);
template cudaError_t reduce_v1(const double*, double*, int64_t, cudaStream_t);
template cudaError_t reduce_v1(const __half*, float*, int64_t, cudaStream_t);
template cudaError_t reduce_v1(const __nv_bfloat16*, float*, int64_t, cudaStream_t);
