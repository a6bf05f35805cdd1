#pragma once
#include "c10/cuda/CUDAException.h"
#include "c10/cuda/CUDAGuard.h"

namespace at::cuda {
using c10::cuda::CUDAStream;
using c10::cuda::getCurrentCUDAStream;
using c10::cuda::getDefaultCUDAStream;
}  // namespace at::cuda
