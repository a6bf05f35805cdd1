// The operator as a C++ function: argument checks, allocation, dispatch on version
// and dtype. Both bindings call it.
#pragma once
#include "bias_gelu_residual.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros_like.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <tuple>

namespace {

// [checks]
// `other` must be like x: residual in the forward, grad in the backward.
void check(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& other,
           const char* name, int64_t version) {
    TORCH_CHECK_VALUE(x.dim() > 0,
                      "bias_gelu_residual: x has no dimension, expected "
                      "one or more. Call x.reshape(1).");
    TORCH_CHECK_VALUE(bias.dim() == 1 && bias.size(0) == x.size(-1),
                      "bias_gelu_residual: bias has shape ", bias.sizes(),
                      ", expected [", x.size(-1), "], the last size of x.");
    TORCH_CHECK_VALUE(other.sizes() == x.sizes(), "bias_gelu_residual: ", name,
                      " has shape ", other.sizes(), ", expected ", x.sizes(),
                      ", the shape of x. There is no broadcasting: expand ", name,
                      " and make it contiguous.");
    auto like_x = [&](const at::Tensor& t, const char* what) {
        TORCH_CHECK_VALUE(t.device() == x.device(), "bias_gelu_residual: ", what,
                          " is on ", t.device(), ", expected ", x.device(),
                          ", the device of x. Move one of them.");
        TORCH_CHECK_TYPE(t.scalar_type() == x.scalar_type(),
                         "bias_gelu_residual: ", what, " has dtype ",
                         t.scalar_type(), ", expected ", x.scalar_type(),
                         ", the dtype of x. Convert one of them.");
        TORCH_CHECK_VALUE(t.is_contiguous(), "bias_gelu_residual: ", what,
                          " has strides ", t.strides(),
                          ", expected a contiguous tensor. Call ", what,
                          ".contiguous() first.");
    };
    like_x(x, "x");
    like_x(bias, "bias");
    like_x(other, name);
    TORCH_CHECK_VALUE(1 <= version && version <= 3,
                      "bias_gelu_residual: version is ", version,
                      ", expected 1, 2 or 3.");
}

bool is_tanh(std::string_view approximate) {
    TORCH_CHECK_VALUE(approximate == "none" || approximate == "tanh",
                      "bias_gelu_residual: approximate is '", approximate,
                      "', expected 'none' or 'tanh'.");
    return approximate == "tanh";
}
// [/checks]

// [dispatch]
// Call f with a value of the element type; only its type matters.
template <typename F>
void for_dtype(at::ScalarType dtype, F f) {
    switch (dtype) {
        case at::kFloat: return f(float());
        case at::kDouble: return f(double());
        case at::kHalf: return f(__half());
        case at::kBFloat16: return f(__nv_bfloat16());
        default:
            TORCH_CHECK_TYPE(false, "bias_gelu_residual: x has dtype ", dtype,
                             ", expected float32, float64, float16 or bfloat16.");
    }
}

template <typename T>
const T* in(const at::Tensor& t) {
    return static_cast<const T*>(t.const_data_ptr());
}
template <typename T>
T* out(const at::Tensor& t) {
    return static_cast<T*>(t.mutable_data_ptr());
}
// [/dispatch]

// [forward]
at::Tensor bias_gelu_residual(const at::Tensor& x, const at::Tensor& bias,
                              const at::Tensor& residual,
                              std::string_view approximate, int64_t version) {
    check(x, bias, residual, "residual", version);
    const bool tanh = is_tanh(approximate);
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor y = at::empty_like(x);
    for_dtype(x.scalar_type(), [&](auto value) {
        using T = decltype(value);
        if (x.numel() == 0) return;  // a grid of zero blocks is a launch error
        const int64_t n = x.size(-1), rows = x.numel() / n;
        // v3 is about the backward: its forward is that of v2
        const auto launch =
            version == 1 ? bias_gelu_residual_v1<T> : bias_gelu_residual_v2<T>;
        C10_CUDA_CHECK(launch(in<T>(x), in<T>(bias), in<T>(residual), out<T>(y),
                              rows, n, tanh, c10::cuda::getCurrentCUDAStream()));
    });
    return y;
}
// [/forward]

// [backward]
// Returns dx and dbias; the gradient of the residual is grad itself.
std::tuple<at::Tensor, at::Tensor> bias_gelu_residual_backward(
    const at::Tensor& grad, const at::Tensor& x, const at::Tensor& bias,
    std::string_view approximate, int64_t version) {
    check(x, bias, grad, "grad", version);
    const bool tanh = is_tanh(approximate);
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor dx = at::empty_like(x);
    at::Tensor dbias = x.numel() == 0 ? at::zeros_like(bias) : at::empty_like(bias);
    for_dtype(x.scalar_type(), [&](auto value) {
        using T = decltype(value);
        if (x.numel() == 0) return;  // the sum over no rows is zero
        const int64_t n = x.size(-1), rows = x.numel() / n;
        cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
        if (version < 3) {
            const auto launch = version == 1 ? bias_gelu_residual_backward_v1<T>
                                             : bias_gelu_residual_backward_v2<T>;
            C10_CUDA_CHECK(launch(in<T>(grad), in<T>(x), in<T>(bias), out<T>(dx),
                                  out<T>(dbias), rows, n, tanh, stream));
            return;
        }
        int64_t chunks;
        C10_CUDA_CHECK(bias_gelu_residual_chunks<T>(rows, n, &chunks));
        const auto dtype = std::is_same_v<T, double> ? at::kDouble : at::kFloat;
        at::Tensor partial = at::empty({chunks, n}, x.options().dtype(dtype));
        C10_CUDA_CHECK(bias_gelu_residual_backward_v3(
            in<T>(grad), in<T>(x), in<T>(bias), out<T>(dx), out<T>(dbias),
            out<Compute<T>>(partial), rows, n, tanh, stream));
    });
    return {dx, dbias};
}
// [/backward]

}  // namespace
