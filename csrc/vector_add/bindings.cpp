// vector_add for PyTorch: schema, argument checks, allocation, dispatch on version
// and dtype.
#include "vector_add.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <torch/library.h>

namespace {

// [checks]
void check_pair(const at::Tensor& a, const at::Tensor& b) {
    TORCH_CHECK_VALUE(b.device() == a.device(), "vector_add: b is on ", b.device(),
                      ", expected ", a.device(),
                      ", the device of a. Move one of them.");
    TORCH_CHECK_TYPE(b.scalar_type() == a.scalar_type(), "vector_add: b has dtype ",
                     b.scalar_type(), ", expected ", a.scalar_type(),
                     ", the dtype of a. Convert one of them.");
    TORCH_CHECK_VALUE(b.sizes() == a.sizes(), "vector_add: b has shape ", b.sizes(),
                      ", expected ", a.sizes(),
                      ", the shape of a. There is no broadcasting: expand b and "
                      "make it contiguous.");
    TORCH_CHECK_VALUE(a.is_contiguous(), "vector_add: a has strides ", a.strides(),
                      ", expected a contiguous tensor. Call a.contiguous() first.");
    TORCH_CHECK_VALUE(b.is_contiguous(), "vector_add: b has strides ", b.strides(),
                      ", expected a contiguous tensor. Call b.contiguous() first.");
}
// [/checks]

// [launch]
template <typename T>
cudaError_t launch(int64_t version, const at::Tensor& a, const at::Tensor& b,
                   at::Tensor& out, cudaStream_t stream) {
    auto* pa = static_cast<const T*>(a.const_data_ptr());
    auto* pb = static_cast<const T*>(b.const_data_ptr());
    auto* po = static_cast<T*>(out.mutable_data_ptr());
    switch (version) {
        case 1: return vector_add_v1(pa, pb, po, a.numel(), stream);
        case 2: return vector_add_v2(pa, pb, po, a.numel(), stream);
        case 3: return vector_add_v3(pa, pb, po, a.numel(), stream);
    }
    TORCH_CHECK_VALUE(false, "vector_add: version is ", version,
                      ", expected 1, 2 or 3.");
}
// [/launch]

// [operator]
at::Tensor vector_add(const at::Tensor& a, const at::Tensor& b, int64_t version) {
    check_pair(a, b);
    const c10::cuda::CUDAGuard guard(a.device());
    at::Tensor out = at::empty_like(a);
    if (a.numel() == 0) {
        return out;  // a grid of zero blocks is a launch error
    }
    cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
    switch (a.scalar_type()) {
        case at::kFloat:
            C10_CUDA_CHECK(launch<float>(version, a, b, out, stream));
            break;
        case at::kDouble:
            C10_CUDA_CHECK(launch<double>(version, a, b, out, stream));
            break;
        case at::kHalf:
            C10_CUDA_CHECK(launch<__half>(version, a, b, out, stream));
            break;
        case at::kBFloat16:
            C10_CUDA_CHECK(launch<__nv_bfloat16>(version, a, b, out, stream));
            break;
        default:
            TORCH_CHECK_TYPE(false, "vector_add: a has dtype ", a.scalar_type(),
                             ", expected float32, float64, float16 or bfloat16.");
    }
    return out;
}
// [/operator]

}  // namespace

// [schema]
TORCH_LIBRARY(TORCH_EXTENSION_NAME, m) {
    m.def("vector_add(Tensor a, Tensor b, int version=3) -> Tensor");
}

TORCH_LIBRARY_IMPL(TORCH_EXTENSION_NAME, CUDA, m) {
    m.impl("vector_add", &vector_add);
}
// [/schema]
