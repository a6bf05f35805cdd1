// The current stream. On the emulator there is one, the default stream.
#pragma once
#include "cuda_runtime.h"

#include <c10/core/Device.h>

namespace c10::cuda {

class CUDAStream {
public:
    cudaStream_t stream() const { return nullptr; }
    operator cudaStream_t() const { return nullptr; }
    void synchronize() const {}
};
inline CUDAStream getCurrentCUDAStream(c10::DeviceIndex = -1) { return {}; }
inline CUDAStream getDefaultCUDAStream(c10::DeviceIndex = -1) { return {}; }

}  // namespace c10::cuda
