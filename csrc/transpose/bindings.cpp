// transpose for PyTorch: schema, argument checks, allocation, dispatch on version
// and on the size of an element.
#include "transpose.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

namespace {

// [checks]
void check(const at::Tensor& a) {
    TORCH_CHECK_VALUE(a.dim() == 2, "transpose: a has shape ", a.sizes(),
                      ", expected two dimensions. Reshape it to [rows, n].");
    TORCH_CHECK_VALUE(a.is_contiguous(), "transpose: a has strides ", a.strides(),
                      ", expected a contiguous tensor. Call a.contiguous() first.");
    const at::ScalarType dtype = a.scalar_type();
    TORCH_CHECK_TYPE(dtype == at::kFloat || dtype == at::kDouble ||
                         dtype == at::kHalf || dtype == at::kBFloat16,
                     "transpose: a has dtype ", dtype,
                     ", expected float32, float64, float16 or bfloat16.");
}
// [/checks]

// [launch]
template <typename T>
cudaError_t launch(int64_t version, const at::Tensor& a, at::Tensor& out,
                   cudaStream_t stream) {
    auto* pa = static_cast<const T*>(a.const_data_ptr());
    auto* po = static_cast<T*>(out.mutable_data_ptr());
    const int64_t rows = a.size(0), n = a.size(1);
    switch (version) {
        case 1: return transpose_v1(pa, po, rows, n, stream);
        case 2: return transpose_v2(pa, po, rows, n, stream);
        case 3: return transpose_v3(pa, po, rows, n, stream);
        case 4: return transpose_v4(pa, po, rows, n, stream);
        default: return transpose_v5(pa, po, rows, n, stream);
    }
}
// [/launch]

// [operator]
at::Tensor transpose(const at::Tensor& a, int64_t version) {
    check(a);
    TORCH_CHECK_VALUE(1 <= version && version <= 5, "transpose: version is ",
                      version, ", expected 1, 2, 3, 4 or 5.");
    const c10::cuda::CUDAGuard guard(a.device());
    at::Tensor out = at::empty({a.size(1), a.size(0)}, a.options());
    if (a.numel() == 0) {
        return out;  // a grid of zero blocks is a launch error
    }
    cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
    switch (a.element_size()) {
        case 2: C10_CUDA_CHECK(launch<uint16_t>(version, a, out, stream)); break;
        case 4: C10_CUDA_CHECK(launch<uint32_t>(version, a, out, stream)); break;
        case 8: C10_CUDA_CHECK(launch<uint64_t>(version, a, out, stream)); break;
    }
    return out;
}
// [/operator]

}  // namespace

// [schema]
TORCH_LIBRARY(TORCH_EXTENSION_NAME, m) {
    m.def("transpose(Tensor a, int version=5) -> Tensor");
}

TORCH_LIBRARY_IMPL(TORCH_EXTENSION_NAME, CUDA, m) {
    m.impl("transpose", &transpose);
}
// [/schema]
