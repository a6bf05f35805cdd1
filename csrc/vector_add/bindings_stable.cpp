// The same operator through torch's stable ABI: the library works with every torch
// from TORCH_TARGET_VERSION on. Only the headers of torch/csrc/stable are included;
// beside them torch's others refuse to compile.
#include "vector_add.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <torch/csrc/stable/accelerator.h>
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/macros.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

#include <sstream>
#include <string>

namespace {

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

// [printing]
// at::Tensor's sizes and devices print themselves; these do not.
std::string text(torch::headeronly::IntHeaderOnlyArrayRef numbers) {
    std::ostringstream out;
    for (size_t i = 0; i < numbers.size(); ++i)
        out << (i ? ", " : "[") << numbers[i];
    return out.str() + (numbers.size() ? "]" : "[]");
}
std::string text(const torch::stable::Device& device) {
    return device.is_cpu() ? "cpu" : "cuda:" + std::to_string(device.index());
}
// [/printing]

// [checks]
void check_pair(const Tensor& a, const Tensor& b) {
    STD_TORCH_CHECK(b.device() == a.device(), "vector_add: b is on ",
                    text(b.device()), ", expected ", text(a.device()),
                    ", the device of a. Move one of them.");
    STD_TORCH_CHECK(b.scalar_type() == a.scalar_type(), "vector_add: b has dtype ",
                    b.scalar_type(), ", expected ", a.scalar_type(),
                    ", the dtype of a. Convert one of them.");
    STD_TORCH_CHECK(b.sizes().equals(a.sizes()), "vector_add: b has shape ",
                    text(b.sizes()), ", expected ", text(a.sizes()),
                    ", the shape of a. There is no broadcasting: expand b and "
                    "make it contiguous.");
    STD_TORCH_CHECK(a.is_contiguous(), "vector_add: a has strides ",
                    text(a.strides()),
                    ", expected a contiguous tensor. Call a.contiguous() first.");
    STD_TORCH_CHECK(b.is_contiguous(), "vector_add: b has strides ",
                    text(b.strides()),
                    ", expected a contiguous tensor. Call b.contiguous() first.");
}
// [/checks]

// [launch]
template <typename T>
cudaError_t launch(int64_t version, const Tensor& a, const Tensor& b, Tensor& out,
                   cudaStream_t stream) {
    auto* pa = static_cast<const T*>(a.const_data_ptr());
    auto* pb = static_cast<const T*>(b.const_data_ptr());
    auto* po = static_cast<T*>(out.mutable_data_ptr());
    switch (version) {
        case 1: return vector_add_v1(pa, pb, po, a.numel(), stream);
        case 2: return vector_add_v2(pa, pb, po, a.numel(), stream);
        case 3: return vector_add_v3(pa, pb, po, a.numel(), stream);
    }
    STD_TORCH_CHECK(false, "vector_add: version is ", version,
                    ", expected 1, 2 or 3.");
}
// [/launch]

// [operator]
Tensor vector_add(Tensor a, Tensor b, int64_t version) {
    check_pair(a, b);
    const torch::stable::accelerator::DeviceGuard guard(a.get_device_index());
    Tensor out = torch::stable::empty_like(a);
    if (a.numel() == 0) {
        return out;  // a grid of zero blocks is a launch error
    }
    void* current = nullptr;
    TORCH_ERROR_CODE_CHECK(
        aoti_torch_get_current_cuda_stream(a.get_device_index(), &current));
    auto stream = static_cast<cudaStream_t>(current);
    switch (a.scalar_type()) {
        case ScalarType::Float:
            STD_CUDA_CHECK(launch<float>(version, a, b, out, stream));
            break;
        case ScalarType::Double:
            STD_CUDA_CHECK(launch<double>(version, a, b, out, stream));
            break;
        case ScalarType::Half:
            STD_CUDA_CHECK(launch<__half>(version, a, b, out, stream));
            break;
        case ScalarType::BFloat16:
            STD_CUDA_CHECK(launch<__nv_bfloat16>(version, a, b, out, stream));
            break;
        default:
            STD_TORCH_CHECK(false, "vector_add: a has dtype ", a.scalar_type(),
                            ", expected float32, float64, float16 or bfloat16.");
    }
    return out;
}
// [/operator]

}  // namespace

// [schema]
STABLE_TORCH_LIBRARY(TORCH_EXTENSION_NAME, m) {
    m.def("vector_add(Tensor a, Tensor b, int version=3) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(TORCH_EXTENSION_NAME, CUDA, m) {
    m.impl("vector_add", TORCH_BOX(&vector_add));
}
// [/schema]
