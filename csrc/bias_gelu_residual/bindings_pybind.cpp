// The same two functions through pybind11: a Python module, of which PyTorch knows
// nothing.
#include "bias_gelu_residual.h"
#include "operator.h"

#include <torch/csrc/utils/pybind.h>

// [functions]
// No dispatcher has looked at the device.
void check_device(const at::Tensor& x) {
    TORCH_CHECK_VALUE(x.is_cuda(), "bias_gelu_residual: x is on ", x.device(),
                      ", expected a GPU. Call x.cuda() first.");
}

at::Tensor forward(const at::Tensor& x, const at::Tensor& bias,
                   const at::Tensor& residual, const std::string& approximate) {
    check_device(x);
    return bias_gelu_residual(x, bias, residual, approximate, 3);
}

std::tuple<at::Tensor, at::Tensor> backward(const at::Tensor& grad,
                                            const at::Tensor& x,
                                            const at::Tensor& bias,
                                            const std::string& approximate) {
    check_device(x);
    return bias_gelu_residual_backward(grad, x, bias, approximate, 3);
}
// [/functions]

// [module]
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("forward", &forward, "gelu(x + bias) + residual", py::arg("x"),
          py::arg("bias"), py::arg("residual"), py::arg("approximate") = "none");
    m.def("backward", &backward, "The gradients of x and of bias.", py::arg("grad"),
          py::arg("x"), py::arg("bias"), py::arg("approximate") = "none");
}
// [/module]
