// Device guards. The emulator has one device, so there is nothing to switch.
#pragma once
#include "CUDAStream.h"

#include <optional>

namespace c10::cuda {

struct CUDAGuard {
    explicit CUDAGuard(c10::Device) {}
    explicit CUDAGuard(c10::DeviceIndex) {}
};
struct OptionalCUDAGuard {
    OptionalCUDAGuard() = default;
    explicit OptionalCUDAGuard(std::optional<c10::Device>) {}
};

}  // namespace c10::cuda
