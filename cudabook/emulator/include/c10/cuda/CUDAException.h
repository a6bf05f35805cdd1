// C10_CUDA_CHECK: a CUDA error becomes a C++ exception, with the emulator's own sentence where there is one.
#pragma once
#include "cuda_runtime.h"

#include <c10/util/Exception.h>

extern "C" const char* cudabook_take_report();

#define C10_CUDA_CHECK(EXPR)                                                                                 \
    do {                                                                                                     \
        const cudaError_t cudabook_error = (EXPR);                                                           \
        TORCH_CHECK(cudabook_error == cudaSuccess, "CUDA error: ", cudaGetErrorString(cudabook_error), " (", \
                    cudaGetErrorName(cudabook_error), ")\n", cudabook_take_report());                        \
    } while (0)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
