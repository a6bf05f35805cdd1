// Stands in for CUDA's cuda_runtime.h when a .cu file is built for the emulator.
#pragma once

#define CUDART_VERSION 13000
#define CUDA_VERSION 13000
#include "cudabook/qualifiers.h"

#include "cudabook/api.h"
#include "cudabook/atomics.h"
#include "cudabook/integers.h"
#include "cudabook/intrinsics.h"
#include "cudabook/kernels.h"
#include "cudabook/math.h"
#include "cudabook/warp.h"
