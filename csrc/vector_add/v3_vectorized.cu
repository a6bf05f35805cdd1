// 16 bytes an access: each thread adds a whole vector of neighbours.
#include "add.cuh"
#include "vector_add.h"

#include <algorithm>

namespace {

// [kernel]
template <typename T>
struct alignas(16) Vector {
    static constexpr int SIZE = 16 / sizeof(T);
    T element[SIZE];
};

// The vectors start at element `head`, the first whose address is a multiple of 16;
// the elements before it and after the last whole vector are added one by one.
template <typename T>
__global__ void vector_add_kernel(const T* __restrict__ a,  // [n]
                                  const T* __restrict__ b,  // [n]
                                  T* __restrict__ out,      // [n]
                                  int64_t n, int64_t head) {
    int64_t stride = int64_t(gridDim.x) * blockDim.x;
    int64_t first = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    int64_t vectors = (n - head) / Vector<T>::SIZE;
    auto* a_vec = reinterpret_cast<const Vector<T>*>(a + head);
    auto* b_vec = reinterpret_cast<const Vector<T>*>(b + head);
    auto* out_vec = reinterpret_cast<Vector<T>*>(out + head);
    for (int64_t i = first; i < vectors; i += stride) {
        Vector<T> x = a_vec[i], y = b_vec[i], sum;
        for (int k = 0; k < Vector<T>::SIZE; ++k)
            sum.element[k] = add(x.element[k], y.element[k]);
        out_vec[i] = sum;
    }
    int64_t tail = head + vectors * Vector<T>::SIZE;
    for (int64_t i = first; i < head + (n - tail); i += stride) {
        int64_t k = i < head ? i : tail + (i - head);
        out[k] = add(a[k], b[k]);
    }
}
// [/kernel]

}  // namespace

// [launcher]
template <typename T>
cudaError_t vector_add_v3(const T* a, const T* b, T* out, int64_t n,
                          cudaStream_t stream) {
    auto misaligned = [](const void* p) {
        return reinterpret_cast<uintptr_t>(p) % 16;
    };
    if (misaligned(a) != misaligned(out) || misaligned(b) != misaligned(out)) {
        return vector_add_v2(a, b, out, n, stream);  // no common start for vectors
    }
    int64_t head = std::min<int64_t>(n, (16 - misaligned(out)) % 16 / sizeof(T));
    constexpr int THREADS = 256;
    int64_t vectors = (n - head) / Vector<T>::SIZE;
    int64_t blocks = std::max<int64_t>(1, (vectors + THREADS - 1) / THREADS);
    vector_add_kernel<<<blocks, THREADS, 0, stream>>>(a, b, out, n, head);
    return cudaGetLastError();
}
// [/launcher]

template cudaError_t vector_add_v3(const float*, const float*, float*, int64_t,
                                   cudaStream_t);
template cudaError_t vector_add_v3(const double*, const double*, double*, int64_t,
                                   cudaStream_t);
template cudaError_t vector_add_v3(const __half*, const __half*, __half*, int64_t,
                                   cudaStream_t);
template cudaError_t vector_add_v3(const __nv_bfloat16*, const __nv_bfloat16*,
                                   __nv_bfloat16*, int64_t, cudaStream_t);
