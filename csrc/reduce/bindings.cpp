// reduce for PyTorch: schema, argument checks, allocation, dispatch on version and
// dtype.
#include "reduce.h"

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <torch/library.h>

namespace {

// [checks]
void check(const at::Tensor& a, int64_t version) {
    TORCH_CHECK_VALUE(a.is_contiguous(), "reduce: a has strides ", a.strides(),
                      ", expected a contiguous tensor. Call a.contiguous() first.");
    TORCH_CHECK_VALUE(1 <= version && version <= 4, "reduce: version is ", version,
                      ", expected 1, 2, 3 or 4.");
    const auto& context = at::globalContext();
    if (version < 4 && context.deterministicAlgorithms()) {
        const auto why =
            c10::str("reduce: version ", version,
                     " adds in an order that differs from run to "
                     "run, but torch.use_deterministic_algorithms(True) is set. "
                     "Use version 4.");
        TORCH_CHECK(context.deterministicAlgorithmsWarnOnly(), why);
        TORCH_WARN(why);
    }
}
// [/checks]

// [launch]
template <typename T>
at::Tensor launch(int64_t version, const at::Tensor& a, cudaStream_t stream) {
    const auto compute =
        a.options().dtype(std::is_same_v<T, double> ? at::kDouble : at::kFloat);
    auto* pa = static_cast<const T*>(a.const_data_ptr());
    if (version < 4) {
        at::Tensor sum = at::empty({}, compute);
        const auto add = version == 1   ? reduce_v1<T>
                         : version == 2 ? reduce_v2<T>
                                        : reduce_v3<T>;
        C10_CUDA_CHECK(
            add(pa, sum.mutable_data_ptr<Compute<T>>(), a.numel(), stream));
        return sum.to(a.scalar_type());
    }
    // Of each call its own, so that calls on several streams, and replays of a CUDA
    // graph, never share them.
    int64_t blocks;
    C10_CUDA_CHECK(reduce_blocks<T>(a.numel(), &blocks));
    at::Tensor partial = at::empty({blocks}, compute);
    at::Tensor counter = at::empty({}, a.options().dtype(at::kInt));
    at::Tensor out = at::empty({}, a.options());
    C10_CUDA_CHECK(reduce_v4(pa, static_cast<T*>(out.mutable_data_ptr()),
                             partial.mutable_data_ptr<Compute<T>>(),
                             static_cast<unsigned*>(counter.mutable_data_ptr()),
                             a.numel(), stream));
    return out;
}
// [/launch]

// [operator]
at::Tensor reduce(const at::Tensor& a, int64_t version) {
    check(a, version);
    const c10::cuda::CUDAGuard guard(a.device());
    cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
    if (a.numel() == 0) {
        return at::zeros({},
                         a.options());  // a grid of zero blocks is a launch error
    }
    switch (a.scalar_type()) {
        case at::kFloat: return launch<float>(version, a, stream);
        case at::kDouble: return launch<double>(version, a, stream);
        case at::kHalf: return launch<__half>(version, a, stream);
        case at::kBFloat16: return launch<__nv_bfloat16>(version, a, stream);
        default:
            TORCH_CHECK_TYPE(false, "reduce: a has dtype ", a.scalar_type(),
                             ", expected float32, float64, float16 or bfloat16.");
    }
}
// [/operator]

}  // namespace

// [schema]
TORCH_LIBRARY(TORCH_EXTENSION_NAME, m) {
    m.def("reduce(Tensor a, int version=4) -> Tensor");
}

TORCH_LIBRARY_IMPL(TORCH_EXTENSION_NAME, CUDA, m) { m.impl("reduce", &reduce); }
// [/schema]
