// A grid of fixed size walks over the elements.
#include "add.cuh"
#include "vector_add.h"

#include <algorithm>

namespace {

// [kernel]
template <typename T>
__global__ void vector_add_kernel(const T* __restrict__ a,  // [n]
                                  const T* __restrict__ b,  // [n]
                                  T* __restrict__ out,      // [n]
                                  int64_t n) {
    int64_t stride = int64_t(gridDim.x) * blockDim.x;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += stride) {
        out[i] = add(a[i], b[i]);
    }
}
// [/kernel]

}  // namespace

// [launcher]
template <typename T>
cudaError_t vector_add_v2(const T* a, const T* b, T* out, int64_t n,
                          cudaStream_t stream) {
    constexpr int THREADS = 256,
                  BLOCKS_PER_SM =
                      8;  // 8 * 256 = 2,048 threads: all that an SM can hold
    int device, sms;
    if (cudaError_t error = cudaGetDevice(&device)) return error;
    if (cudaError_t error =
            cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device))
        return error;
    int64_t blocks =
        std::min<int64_t>((n + THREADS - 1) / THREADS, sms * BLOCKS_PER_SM);
    vector_add_kernel<<<blocks, THREADS, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
// [/launcher]

template cudaError_t vector_add_v2(const float*, const float*, float*, int64_t,
                                   cudaStream_t);
template cudaError_t vector_add_v2(const double*, const double*, double*, int64_t,
                                   cudaStream_t);
template cudaError_t vector_add_v2(const __half*, const __half*, __half*, int64_t,
                                   cudaStream_t);
template cudaError_t vector_add_v2(const __nv_bfloat16*, const __nv_bfloat16*,
                                   __nv_bfloat16*, int64_t, cudaStream_t);
