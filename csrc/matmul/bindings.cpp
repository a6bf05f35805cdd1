// matmul for PyTorch: schema, argument checks, allocation, dispatch on version and
// dtype.
#include "matmul.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include <optional>

namespace {

// [checks]
void check_pair(const at::Tensor& a, const at::Tensor& b) {
    TORCH_CHECK_VALUE(a.dim() == 2 && b.dim() == 2, "matmul: a has shape ",
                      a.sizes(), " and b ", b.sizes(),
                      ", expected two dimensions each. Reshape them.");
    TORCH_CHECK_VALUE(b.size(0) == a.size(1), "matmul: b has ", b.size(0),
                      " rows, expected ", a.size(1), ", as many as a has columns.");
    TORCH_CHECK_VALUE(b.device() == a.device(), "matmul: b is on ", b.device(),
                      ", expected ", a.device(),
                      ", the device of a. Move one of them.");
    TORCH_CHECK_TYPE(b.scalar_type() == a.scalar_type(), "matmul: b has dtype ",
                     b.scalar_type(), ", expected ", a.scalar_type(),
                     ", the dtype of a. Convert one of them.");
    TORCH_CHECK_VALUE(a.is_contiguous(), "matmul: a has strides ", a.strides(),
                      ", expected a contiguous tensor. Call a.contiguous() first.");
    TORCH_CHECK_VALUE(b.is_contiguous(), "matmul: b has strides ", b.strides(),
                      ", expected a contiguous tensor. Call b.contiguous() first.");
}
// [/checks]

// [launch]
// `best` is the version that is taken if the caller names none.
template <typename T>
cudaError_t launch(std::optional<int64_t> version, const at::Tensor& a,
                   const at::Tensor& b, at::Tensor& c, cudaStream_t stream) {
    constexpr bool is_float = std::is_same_v<T, float>, is_half = sizeof(T) == 2;
    constexpr int64_t best = is_float ? 9 : is_half ? 11 : 5;
    auto* pa = static_cast<const T*>(a.const_data_ptr());
    auto* pb = static_cast<const T*>(b.const_data_ptr());
    auto* pc = static_cast<T*>(c.mutable_data_ptr());
    int64_t m = a.size(0), k = a.size(1), n = b.size(1);
    switch (version.value_or(best)) {
        case 1: return matmul_v1(pa, pb, pc, m, n, k, stream);
        case 2: return matmul_v2(pa, pb, pc, m, n, k, stream);
        case 3: return matmul_v3(pa, pb, pc, m, n, k, stream);
        case 4: return matmul_v4(pa, pb, pc, m, n, k, stream);
        case 5: return matmul_v5(pa, pb, pc, m, n, k, stream);
    }
    if constexpr (is_float) switch (version.value_or(best)) {
            case 6: return matmul_v6(pa, pb, pc, m, n, k, stream);
            case 7: return matmul_v7(pa, pb, pc, m, n, k, stream);
            case 8: return matmul_v8(pa, pb, pc, m, n, k, stream);
            case 9: return matmul_v9(pa, pb, pc, m, n, k, stream);
        }
    if constexpr (is_half) switch (version.value_or(best)) {
            case 10: return matmul_v10(pa, pb, pc, m, n, k, stream);
            case 11: return matmul_v11(pa, pb, pc, m, n, k, stream);
        }
    TORCH_CHECK_VALUE(false, "matmul: version is ", *version, ", expected 1 to ",
                      is_float  ? "9"
                      : is_half ? "5, 10 or 11"
                                : "5",
                      " for dtype ", a.scalar_type(), ".");
}
// [/launch]

// [operator]
at::Tensor matmul(const at::Tensor& a, const at::Tensor& b,
                  std::optional<int64_t> version) {
    check_pair(a, b);
    const c10::cuda::CUDAGuard guard(a.device());
    if (a.size(1) == 0) return at::zeros({a.size(0), b.size(1)}, a.options());
    at::Tensor c = at::empty({a.size(0), b.size(1)}, a.options());
    if (c.numel() == 0) return c;  // a grid of zero blocks is a launch error
    cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
    switch (a.scalar_type()) {
        case at::kFloat:
            C10_CUDA_CHECK(launch<float>(version, a, b, c, stream));
            break;
        case at::kDouble:
            C10_CUDA_CHECK(launch<double>(version, a, b, c, stream));
            break;
        case at::kHalf:
            C10_CUDA_CHECK(launch<__half>(version, a, b, c, stream));
            break;
        case at::kBFloat16:
            C10_CUDA_CHECK(launch<__nv_bfloat16>(version, a, b, c, stream));
            break;
        default:
            TORCH_CHECK_TYPE(false, "matmul: a has dtype ", a.scalar_type(),
                             ", expected float32, float64, float16 or bfloat16.");
    }
    return c;
}
// [/operator]

}  // namespace

// [schema]
TORCH_LIBRARY(TORCH_EXTENSION_NAME, m) {
    m.def("matmul(Tensor a, Tensor b, int? version=None) -> Tensor");
}

TORCH_LIBRARY_IMPL(TORCH_EXTENSION_NAME, CUDA, m) { m.impl("matmul", &matmul); }
// [/schema]
