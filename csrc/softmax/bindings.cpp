// softmax over the last dimension, for PyTorch, and its backward.
#include "softmax.h"

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
void check_input(const at::Tensor& t, const char* name) {
    TORCH_CHECK_VALUE(t.dim() > 0, "softmax: ", name,
                      " has no dimension, expected one or more. Call ", name,
                      ".reshape(1).");
    TORCH_CHECK_VALUE(t.is_contiguous(), "softmax: ", name, " has strides ",
                      t.strides(), ", expected a contiguous tensor. Call ", name,
                      ".contiguous() first.");
}

void check_pair(const at::Tensor& grad, const at::Tensor& out) {
    TORCH_CHECK_VALUE(out.device() == grad.device(), "softmax: out is on ",
                      out.device(), ", expected ", grad.device(),
                      ", the device of grad. Move one of them.");
    TORCH_CHECK_TYPE(out.scalar_type() == grad.scalar_type(),
                     "softmax: out has dtype ", out.scalar_type(), ", expected ",
                     grad.scalar_type(),
                     ", the dtype of grad. Convert one of them.");
    TORCH_CHECK_VALUE(out.sizes() == grad.sizes(), "softmax: out has shape ",
                      out.sizes(), ", expected ", grad.sizes(),
                      ", the shape of grad. There is no broadcasting.");
    check_input(grad, "grad");
    check_input(out, "out");
}
// [/checks]

// [dispatch]
// Call f with a value of the element type; only its type matters.
template <typename F>
void for_dtype(const at::Tensor& t, const char* name, F f) {
    switch (t.scalar_type()) {
        case at::kFloat: return f(float());
        case at::kDouble: return f(double());
        case at::kHalf: return f(__half());
        case at::kBFloat16: return f(__nv_bfloat16());
        default:
            TORCH_CHECK_TYPE(false, "softmax: ", name, " has dtype ",
                             t.scalar_type(),
                             ", expected float32, float64, float16 or bfloat16.");
    }
}

template <typename T>
const T* in(const at::Tensor& t) {
    return static_cast<const T*>(t.const_data_ptr());
}
template <typename T>
T* out_of(const at::Tensor& t) {
    return static_cast<T*>(t.mutable_data_ptr());
}
// [/dispatch]

// [operator]
at::Tensor softmax(const at::Tensor& x, int64_t version) {
    check_input(x, "x");
    TORCH_CHECK_VALUE(1 <= version && version <= 4, "softmax: version is ", version,
                      ", expected 1, 2, 3 or 4.");
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor out = at::empty_like(x);
    for_dtype(x, "x", [&](auto value) {
        using T = decltype(value);
        if (x.numel() == 0) return;  // a grid of zero blocks is a launch error
        constexpr decltype(&softmax_v1<T>) launch[] = {
            softmax_v1<T>, softmax_v2<T>, softmax_v3<T>, softmax_v4<T>};
        const int64_t n = x.size(-1);
        C10_CUDA_CHECK(launch[version - 1](in<T>(x), out_of<T>(out), x.numel() / n,
                                           n, c10::cuda::getCurrentCUDAStream()));
    });
    return out;
}

at::Tensor softmax_backward(const at::Tensor& grad, const at::Tensor& out) {
    check_pair(grad, out);
    const c10::cuda::CUDAGuard guard(grad.device());
    at::Tensor dx = at::empty_like(out);
    for_dtype(grad, "grad", [&](auto value) {
        using T = decltype(value);
        if (out.numel() == 0) return;
        const int64_t n = out.size(-1);
        C10_CUDA_CHECK(softmax_backward_v1(in<T>(grad), in<T>(out), out_of<T>(dx),
                                           out.numel() / n, n,
                                           c10::cuda::getCurrentCUDAStream()));
    });
    return dx;
}
// [/operator]

}  // namespace

// [schema]
TORCH_LIBRARY(TORCH_EXTENSION_NAME, m) {
    m.def("softmax(Tensor x, int version=4) -> Tensor");
    m.def("softmax_backward(Tensor grad, Tensor out) -> Tensor");
}

TORCH_LIBRARY_IMPL(TORCH_EXTENSION_NAME, CUDA, m) {
    m.impl("softmax", &softmax);
    m.impl("softmax_backward", &softmax_backward);
}
// [/schema]
