// Stands in for CUDA's cuda_runtime.h when a .cu file is built for the emulator.
#pragma once

#define CUDART_VERSION 13000
#define CUDA_VERSION 13000
// The guards of CUDA's own headers, by which others see that these have been included.
#define __CUDA_RUNTIME_H__
#define __DRIVER_TYPES_H__
#include "cudabook/qualifiers.h"

#include "cudabook/api.h"
#include "cudabook/atomics.h"
#include "cudabook/integers.h"
#include "cudabook/intrinsics.h"
#include "cudabook/kernels.h"
#include "cudabook/math.h"
#include "cudabook/warp.h"
