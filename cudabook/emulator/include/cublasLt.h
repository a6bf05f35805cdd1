// cuBLASLt: the handle only. A program that multiplies with it does not compile here, and says at which line.
#pragma once
#include "cublas_v2.h"

inline namespace cudabook_cuda {

typedef struct cublasLtContext {
}* cublasLtHandle_t;

inline cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
    *handle = new cublasLtContext;
    return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}

}  // namespace cudabook_cuda
