// The same operator through pybind11: a Python module with one function, of which
// PyTorch knows nothing.
#include "vector_add.h"

#include <torch/csrc/utils/pybind.h>

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

// [function]
at::Tensor vector_add(const at::Tensor& a, const at::Tensor& b) {
    TORCH_CHECK_VALUE(a.is_cuda() && b.device() == a.device(),
                      "vector_add: a is on ", a.device(), " and b on ", b.device(),
                      ", expected both on one GPU.");
    TORCH_CHECK_TYPE(a.scalar_type() == at::kFloat && b.scalar_type() == at::kFloat,
                     "vector_add: the dtypes are ", a.scalar_type(), " and ",
                     b.scalar_type(), ", expected float32.");
    TORCH_CHECK_VALUE(a.sizes() == b.sizes(), "vector_add: the shapes are ",
                      a.sizes(), " and ", b.sizes(), ", expected equal ones.");
    TORCH_CHECK_VALUE(a.is_contiguous() && b.is_contiguous(),
                      "vector_add: expected contiguous tensors.");
    const c10::cuda::CUDAGuard guard(a.device());
    at::Tensor out = at::empty_like(a);
    if (a.numel() > 0) {
        C10_CUDA_CHECK(vector_add_v1(a.const_data_ptr<float>(),
                                     b.const_data_ptr<float>(),
                                     out.mutable_data_ptr<float>(), a.numel(),
                                     c10::cuda::getCurrentCUDAStream()));
    }
    return out;
}
// [/function]

// [module]
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("vector_add", &vector_add, "Element-wise a + b.", py::arg("a"),
          py::arg("b"));
}
// [/module]
