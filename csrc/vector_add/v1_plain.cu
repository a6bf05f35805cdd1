// One thread an element.
#include "add.cuh"
#include "vector_add.h"

namespace {

// [kernel]
template <typename T>
__global__ void vector_add_kernel(const T* __restrict__ a,  // [n]
                                  const T* __restrict__ b,  // [n]
                                  T* __restrict__ out,      // [n]
                                  int64_t n) {
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = add(a[i], b[i]);
    }
}
// [/kernel]

}  // namespace

// [launcher]
template <typename T>
cudaError_t vector_add_v1(const T* a, const T* b, T* out, int64_t n,
                          cudaStream_t stream) {
    constexpr int THREADS = 256;
    int64_t blocks = (n + THREADS - 1) / THREADS;
    vector_add_kernel<<<blocks, THREADS, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
// [/launcher]

template cudaError_t vector_add_v1(const float*, const float*, float*, int64_t,
                                   cudaStream_t);
template cudaError_t vector_add_v1(const double*, const double*, double*, int64_t,
                                   cudaStream_t);
template cudaError_t vector_add_v1(const __half*, const __half*, __half*, int64_t,
                                   cudaStream_t);
template cudaError_t vector_add_v1(const __nv_bfloat16*, const __nv_bfloat16*,
                                   __nv_bfloat16*, int64_t, cudaStream_t);
