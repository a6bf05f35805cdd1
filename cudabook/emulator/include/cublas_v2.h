// The part of cuBLAS that programs meet most: a handle, and matrix products in float and double, computed on the host.
// Names, values and meanings: cuBLAS Library documentation. Matrices are column-major; alpha and beta are host memory.
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"

inline namespace cudabook_cuda {

enum cublasStatus_t {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16
};
enum cublasOperation_t { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 };
enum cublasMath_t {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3
};
enum cublasComputeType_t {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77
};
#define CUBLAS_API_H_  // by which others see that these names are there

typedef struct cublasContext {
    cudaStream_t stream = nullptr;
}* cublasHandle_t;

inline cublasStatus_t cublasCreate(cublasHandle_t* handle) {
    *handle = new cublasContext;
    return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasDestroy(cublasHandle_t handle) {
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) { return CUBLAS_STATUS_SUCCESS; }

}  // namespace cudabook_cuda

namespace cudabook {

// C = alpha op(A) op(B) + beta C; C is m x n and op(A) is m x k. Sums are kept in double.
template <class T>
cublasStatus_t gemm(cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, T alpha, const T* a,
                    int lda, const T* b, int ldb, T beta, T* c, int ldc) {
    if (m < 0 || n < 0 || k < 0 || lda < max(1, transa ? k : m) || ldb < max(1, transb ? n : k) || ldc < max(1, m))
        return CUBLAS_STATUS_INVALID_VALUE;
    for (int col = 0; col < n; ++col)
        for (int row = 0; row < m; ++row) {
            double sum = 0;
            for (int i = 0; i < k; ++i) {
                T left = transa ? a[size_t(row) * lda + i] : a[size_t(i) * lda + row];
                T right = transb ? b[size_t(i) * ldb + col] : b[size_t(col) * ldb + i];
                sum += double(left) * right;
            }
            T& out = c[size_t(col) * ldc + row];
            out = T(alpha * sum + (beta ? double(beta) * out : 0));  // where beta is 0, C may hold anything
        }
    return CUBLAS_STATUS_SUCCESS;
}

}  // namespace cudabook

inline namespace cudabook_cuda {

#define CUBLAS_GEMM(letter, T)                                                                                       \
    inline cublasStatus_t cublas##letter##gemm(cublasHandle_t, cublasOperation_t transa, cublasOperation_t transb,   \
                                               int m, int n, int k, const T* alpha, const T* a, int lda, const T* b, \
                                               int ldb, const T* beta, T* c, int ldc) {                              \
        return cudabook::gemm(transa, transb, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);                       \
    }                                                                                                                \
    inline cublasStatus_t cublas##letter##gemmStridedBatched(                                                        \
        cublasHandle_t, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const T* alpha,     \
        const T* a, int lda, long long stride_a, const T* b, int ldb, long long stride_b, const T* beta, T* c,       \
        int ldc, long long stride_c, int count) {                                                                    \
        cublasStatus_t status = CUBLAS_STATUS_SUCCESS;                                                               \
        for (int i = 0; i < count && status == CUBLAS_STATUS_SUCCESS; ++i)                                           \
            status = cudabook::gemm(transa, transb, m, n, k, *alpha, a + i * stride_a, lda, b + i * stride_b, ldb,   \
                                    *beta, c + i * stride_c, ldc);                                                   \
        return status;                                                                                               \
    }

// y = alpha op(A) x + beta y; A is m x n.
#define CUBLAS_GEMV(letter, T)                                                                                         \
    inline cublasStatus_t cublas##letter##gemv(cublasHandle_t, cublasOperation_t trans, int m, int n, const T* alpha,  \
                                               const T* a, int lda, const T* x, int incx, const T* beta, T* y,         \
                                               int incy) {                                                             \
        if (incx < 1 || incy < 1) return CUBLAS_STATUS_NOT_SUPPORTED;                                                  \
        return cudabook::gemm(CUBLAS_OP_N, trans ? CUBLAS_OP_N : CUBLAS_OP_T, 1, trans ? n : m, trans ? m : n, *alpha, \
                              x, incx, a, lda, *beta, y, incy);                                                        \
    }
CUBLAS_GEMM(S, float)
CUBLAS_GEMM(D, double)
CUBLAS_GEMV(S, float)
CUBLAS_GEMV(D, double)
#undef CUBLAS_GEMM
#undef CUBLAS_GEMV

}  // namespace cudabook_cuda
