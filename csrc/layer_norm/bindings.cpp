// layer_norm over the last dimension, for PyTorch, and its backward.
#include "layer_norm.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros_like.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <torch/library.h>

#include <cmath>
#include <tuple>

namespace {

// [checks]
void check_x(const at::Tensor& x) {
    TORCH_CHECK_VALUE(x.dim() > 0,
                      "layer_norm: x has no dimension, expected one or more. Call "
                      "x.reshape(1).");
    TORCH_CHECK_VALUE(x.is_contiguous(), "layer_norm: x has strides ", x.strides(),
                      ", expected a contiguous tensor. Call x.contiguous() first.");
}

// What goes with x: its shape, dtype and device follow from those of x.
void check(const at::Tensor& t, const char* name, const at::Tensor& x,
           at::ScalarType dtype, at::IntArrayRef sizes) {
    TORCH_CHECK_VALUE(t.sizes() == sizes, "layer_norm: ", name, " has shape ",
                      t.sizes(), ", expected ", sizes, ", since x has shape ",
                      x.sizes(), ". There is no broadcasting.");
    TORCH_CHECK_VALUE(t.device() == x.device(), "layer_norm: ", name, " is on ",
                      t.device(), ", expected ", x.device(),
                      ", the device of x. Move one of them.");
    TORCH_CHECK_TYPE(t.scalar_type() == dtype, "layer_norm: ", name, " has dtype ",
                     t.scalar_type(), ", expected ", dtype,
                     ", which goes with x of dtype ", x.scalar_type(),
                     ". Convert one of them.");
    TORCH_CHECK_VALUE(t.is_contiguous(), "layer_norm: ", name, " has strides ",
                      t.strides(), ", expected a contiguous tensor. Call ", name,
                      ".contiguous() first.");
}

at::ScalarType compute_dtype(const at::Tensor& x) {
    return x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
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
            TORCH_CHECK_TYPE(false, "layer_norm: x has dtype ", dtype,
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
// Returns out, and mean and rstd of each row.
std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm(const at::Tensor& x,
                                                          const at::Tensor& weight,
                                                          const at::Tensor& bias,
                                                          double eps,
                                                          int64_t version) {
    check_x(x);
    check(weight, "weight", x, x.scalar_type(), x.sizes().slice(x.dim() - 1));
    check(bias, "bias", x, x.scalar_type(), x.sizes().slice(x.dim() - 1));
    TORCH_CHECK_VALUE(1 <= version && version <= 3, "layer_norm: version is ",
                      version, ", expected 1, 2 or 3.");
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor y = at::empty_like(x);
    at::Tensor mean = at::empty(x.sizes().slice(0, x.dim() - 1),
                                x.options().dtype(compute_dtype(x)));
    at::Tensor rstd = at::empty_like(mean);
    for_dtype(x.scalar_type(), [&](auto value) {
        using T = decltype(value);
        if (x.numel() == 0) {  // a grid of zero blocks is a launch error
            mean.fill_(0);
            rstd.fill_(NAN);
            return;
        }
        using C = Compute<T>;
        constexpr decltype(&layer_norm_v1<T>) launch[] = {
            layer_norm_v1<T>, layer_norm_v2<T>, layer_norm_v3<T>};
        const int64_t n = x.size(-1);
        C10_CUDA_CHECK(launch[version - 1](in<T>(x), in<T>(weight), in<T>(bias),
                                           out<T>(y), out<C>(mean), out<C>(rstd),
                                           x.numel() / n, n, eps,
                                           c10::cuda::getCurrentCUDAStream()));
    });
    return {y, mean, rstd};
}
// [/forward]

// [backward]
// mean and rstd: what layer_norm(x, ...) returned. Returns dx, dweight and dbias.
std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm_backward(
    const at::Tensor& grad, const at::Tensor& x, const at::Tensor& mean,
    const at::Tensor& rstd, const at::Tensor& weight, int64_t version) {
    check_x(x);
    check(grad, "grad", x, x.scalar_type(), x.sizes());
    check(mean, "mean", x, compute_dtype(x), x.sizes().slice(0, x.dim() - 1));
    check(rstd, "rstd", x, compute_dtype(x), x.sizes().slice(0, x.dim() - 1));
    check(weight, "weight", x, x.scalar_type(), x.sizes().slice(x.dim() - 1));
    TORCH_CHECK_VALUE(version == 1 || version == 2, "layer_norm: version is ",
                      version, ", expected 1 or 2 for the backward.");
    const c10::cuda::CUDAGuard guard(x.device());
    const bool empty = x.numel() == 0;
    at::Tensor dx = at::empty_like(x);
    at::Tensor dweight = empty ? at::zeros_like(weight) : at::empty_like(weight);
    at::Tensor dbias = empty ? at::zeros_like(weight) : at::empty_like(weight);
    for_dtype(x.scalar_type(), [&](auto value) {
        using T = decltype(value);
        using C = Compute<T>;
        if (empty) return;  // the sums over no rows are zero
        const int64_t n = x.size(-1), rows = x.numel() / n;
        cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
        if (version == 1) {
            C10_CUDA_CHECK(layer_norm_backward_v1(
                in<T>(grad), in<T>(x), in<C>(mean), in<C>(rstd), in<T>(weight),
                out<T>(dx), out<T>(dweight), out<T>(dbias), rows, n, stream));
            return;
        }
        int64_t chunks;
        C10_CUDA_CHECK(layer_norm_chunks<T>(rows, n, &chunks));
        at::Tensor partial = at::empty({2, chunks, n}, mean.options());
        C10_CUDA_CHECK(layer_norm_backward_v2(
            in<T>(grad), in<T>(x), in<C>(mean), in<C>(rstd), in<T>(weight),
            out<T>(dx), out<T>(dweight), out<T>(dbias), out<C>(partial), rows, n,
            stream));
    });
    return {dx, dweight, dbias};
}
// [/backward]

}  // namespace

// [schema]
TORCH_LIBRARY(TORCH_EXTENSION_NAME, m) {
    m.def(
        "layer_norm(Tensor x, Tensor weight, Tensor bias, float eps=1e-5, "
        "int version=3) -> (Tensor, Tensor, Tensor)");
    m.def(
        "layer_norm_backward(Tensor grad, Tensor x, Tensor mean, Tensor rstd, "
        "Tensor weight, int version=2) -> (Tensor, Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(TORCH_EXTENSION_NAME, CUDA, m) {
    m.impl("layer_norm", &layer_norm);
    m.impl("layer_norm_backward", &layer_norm_backward);
}
// [/schema]
