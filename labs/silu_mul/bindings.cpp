// silu(a) * b for PyTorch, and its backward. silu_mul_out has no schema here: lab
// 03 gives it one in Python.
#include "silu_mul.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include <tuple>

namespace {

void check(const at::Tensor& a, const at::Tensor& other, const char* name) {
    TORCH_CHECK_TYPE(
        a.scalar_type() == at::kFloat || a.scalar_type() == at::kDouble,
        "silu_mul: a has dtype ", a.scalar_type(),
        ", expected float32 or float64.");
    TORCH_CHECK_TYPE(other.scalar_type() == a.scalar_type(), "silu_mul: ", name,
                     " has dtype ", other.scalar_type(), ", expected ",
                     a.scalar_type(), ", the dtype of a.");
    TORCH_CHECK_VALUE(other.device() == a.device(), "silu_mul: ", name, " is on ",
                      other.device(), ", expected ", a.device(),
                      ", the device of a.");
    TORCH_CHECK_VALUE(other.sizes() == a.sizes(), "silu_mul: ", name, " has shape ",
                      other.sizes(), ", expected ", a.sizes(), ", the shape of a.");
    TORCH_CHECK_VALUE(a.is_contiguous(), "silu_mul: a has strides ", a.strides(),
                      ", expected a contiguous tensor.");
    TORCH_CHECK_VALUE(other.is_contiguous(), "silu_mul: ", name, " has strides ",
                      other.strides(), ", expected a contiguous tensor.");
}

template <typename T>
const T* in(const at::Tensor& t) {
    return static_cast<const T*>(t.const_data_ptr());
}
template <typename T>
T* out(const at::Tensor& t) {
    return static_cast<T*>(t.mutable_data_ptr());
}

void silu_mul_out(const at::Tensor& a, const at::Tensor& b, const at::Tensor& y) {
    check(a, b, "b");
    check(a, y, "out");
    const c10::cuda::CUDAGuard guard(a.device());
    const auto stream = c10::cuda::getCurrentCUDAStream();
    if (a.scalar_type() == at::kFloat) {
        silu_mul_float(in<float>(a), in<float>(b), out<float>(y), a.numel(),
                       stream);
    } else {
        silu_mul_double(in<double>(a), in<double>(b), out<double>(y), a.numel(),
                        stream);
    }
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}

at::Tensor silu_mul(const at::Tensor& a, const at::Tensor& b) {
    at::Tensor y = at::empty_like(a);
    silu_mul_out(a, b, y);
    return y;
}

std::tuple<at::Tensor, at::Tensor> silu_mul_backward(const at::Tensor& grad,
                                                     const at::Tensor& a,
                                                     const at::Tensor& b) {
    check(a, b, "b");
    check(a, grad, "grad");
    const c10::cuda::CUDAGuard guard(a.device());
    const auto stream = c10::cuda::getCurrentCUDAStream();
    at::Tensor da = at::empty_like(a), db = at::empty_like(b);
    if (a.scalar_type() == at::kFloat) {
        silu_mul_backward_float(in<float>(grad), in<float>(a), in<float>(b),
                                out<float>(da), out<float>(db), a.numel(), stream);
    } else {
        silu_mul_backward_double(in<double>(grad), in<double>(a), in<double>(b),
                                 out<double>(da), out<double>(db), a.numel(),
                                 stream);
    }
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return {da, db};
}

}  // namespace

// [schema]
TORCH_LIBRARY(TORCH_EXTENSION_NAME, m) {
    m.def("silu_mul(Tensor a, Tensor b) -> Tensor");
    m.def("silu_mul_backward(Tensor grad, Tensor a, Tensor b) -> (Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(TORCH_EXTENSION_NAME, CUDA, m) {
    m.impl("silu_mul", &silu_mul);
    m.impl("silu_mul_backward", &silu_mul_backward);
    m.impl("silu_mul_out", &silu_mul_out);
}
// [/schema]
