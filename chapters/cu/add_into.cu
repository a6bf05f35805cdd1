// vector_add's third version, writing into a tensor that the caller gives.
#include "../../csrc/vector_add/v2_grid_stride.cu"
#include "../../csrc/vector_add/v3_vectorized.cu"

extern "C" cudaError_t add_into(float* out, const float* a, const float* b,
                                int64_t n, cudaStream_t stream) {
    return vector_add_v3(a, b, out, n, stream);
}
