// bias_gelu_residual for PyTorch: out = gelu(x + bias) + residual, and its
// backward.
#include "bias_gelu_residual.h"
#include "operator.h"

#include <torch/library.h>

// [schema]
TORCH_LIBRARY(TORCH_EXTENSION_NAME, m) {
    m.def(
        "bias_gelu_residual(Tensor x, Tensor bias, Tensor residual, "
        "str approximate=\"none\", int version=3) -> Tensor");
    m.def(
        "bias_gelu_residual_backward(Tensor grad, Tensor x, Tensor bias, "
        "str approximate=\"none\", int version=3) -> (Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(TORCH_EXTENSION_NAME, CUDA, m) {
    m.impl("bias_gelu_residual", &bias_gelu_residual);
    m.impl("bias_gelu_residual_backward", &bias_gelu_residual_backward);
}
// [/schema]
