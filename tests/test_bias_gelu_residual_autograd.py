"""bias_gelu_residual under PyTorch's tools: gradients twice, opcheck, compile, export, vmap, torch.func, autocast."""

import copy
import functools

import pytest
import torch
from test_bias_gelu_residual import APPROXIMATE, VERSIONS, reference, tensors
from torch.autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck

import cudabook
from cudabook.ops import bias_gelu_residual as side

FUNCTIONS = [side.BiasGeluResidualFunction, side.TwiceDifferentiableFunction]


@pytest.fixture
def op(target):
    return cudabook.load("bias_gelu_residual", target)


@pytest.fixture
def kernels(target):
    return cudabook.load("bias_gelu_residual", target, binding="pybind")


def doubles(shape, device):
    return tensors(shape, device, torch.float64, grad=True)


@pytest.mark.parametrize("approximate", APPROXIMATE)
@pytest.mark.parametrize("version", VERSIONS)
def test_gradcheck_of_both_operators(op, device, approximate, version):
    x, bias, residual = doubles((3, 5), device)
    for check in (gradcheck, gradgradcheck):
        assert check(lambda *t: op.bias_gelu_residual(*t, approximate, version), (x, bias, residual))
        assert check(lambda *t: op.bias_gelu_residual_backward(*t, approximate, version), (residual, x, bias))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_opcheck(op, device, dtype):
    x, bias, residual = tensors((3, 5), device, dtype, grad=True)
    for call, inputs in ((op.bias_gelu_residual, (x, bias, residual)),
                         (op.bias_gelu_residual_backward, (residual, x, bias))):
        for options in ((), ("tanh", 2)):
            assert set(torch.library.opcheck(call.default, (*inputs, *options)).values()) == {"SUCCESS"}


def wrong_backward(op):
    """The forward of erf with the derivative of tanh: both are 'gelu', and differ by less than 0.002."""

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(x, bias, residual):
            return op.bias_gelu_residual(x, bias, residual, "none")

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs[:2])

        @staticmethod
        def backward(ctx, grad):
            return *op.bias_gelu_residual_backward(grad.contiguous(), *ctx.saved_tensors, "tanh"), grad

    return Wrong.apply


@pytest.mark.filterwarnings("ignore:Input #")  # gradcheck says itself that float32 is not enough
def test_a_loose_float32_gradcheck_sees_nothing(op, device):
    """B18: the tolerances that are often copied pass a wrong backward; float64 and the defaults do not."""
    torch.manual_seed(0)
    wrong = wrong_backward(op)
    loose = {"eps": 1e-3, "atol": 1e-1, "rtol": 1e-1}
    assert gradcheck(wrong, tensors((4, 6), device, grad=True), **loose)
    with pytest.raises(GradcheckError, match="Jacobian mismatch"):
        gradcheck(wrong, doubles((4, 6), device))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_second_derivatives_of_half_are_computed_in_float32(op, device, dtype):
    """Beside sqrt(2), where 2 - u^2 cancels, and at 300, whose square float16 does not have."""
    x = torch.tensor([[1.40625, -1.4140625, 0.5, 300]], device=device, dtype=dtype, requires_grad=True)
    zero, wide = torch.zeros_like(x[0]), x.detach().double().requires_grad_()
    second = []
    for call, u in ((lambda u: op.bias_gelu_residual(u, zero, u.detach()), x), (lambda u: reference(u, 0, 0), wide)):
        first, = torch.autograd.grad(call(u).sum(), u, create_graph=True)
        second += torch.autograd.grad(first.sum(), u)
    assert second[0].dtype == dtype
    torch.testing.assert_close(second[0].double(), second[1], rtol=1e-2, atol=1e-30)


def test_nothing_is_launched_for_the_residual_alone(op, device):
    x, bias, _ = tensors((4, 6), device)
    residual = torch.randn(4, 6, device=device, requires_grad=True)
    out = op.bias_gelu_residual(x, bias, residual)
    with torch.profiler.profile() as seen:
        out.sum().backward()
    assert not any("bias_gelu_residual_backward" in event.key for event in seen.key_averages())
    assert torch.equal(residual.grad, torch.ones_like(residual))


def test_compile_without_graph_break(op, device):
    module = side.BiasGeluResidual(op, 6, "tanh")
    counter = torch._dynamo.testing.CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(module, fullgraph=True, dynamic=True, backend=counter)
    for rows in (3, 4, 9):
        grads = []
        for call in (compiled, module):
            torch.manual_seed(rows)
            x, _, residual = tensors((rows, 6), device, grad=True)
            module.bias.grad = None
            call(x, residual).square().sum().backward()
            grads.append((x.grad, module.bias.grad, residual.grad))
        assert all(map(torch.equal, *grads))
    assert counter.frame_count == 1  # once for all sizes


def test_export(op, device):
    module = side.BiasGeluResidual(op, 6)
    x, _, residual = tensors((3, 6), device)
    rows = torch.export.Dim("rows")
    program = torch.export.export(module, (x, residual), dynamic_shapes=({0: rows}, {0: rows}))
    x, _, residual = tensors((11, 6), device)
    assert torch.equal(program.module()(x, residual), module(x, residual))
    assert [n.target for n in program.graph.nodes if n.op == "call_function"] == [op.bias_gelu_residual.default]


@pytest.mark.parametrize("in_dims", [(0, None, 0), (0, 0, 0), (1, None, 1), (None, 0, 1), (2, 1, None)], ids=str)
@pytest.mark.parametrize("shape", [(3, 5), (5,), (0, 5)], ids=str)
def test_vmap(op, device, in_dims, shape):
    inputs = []
    for dim, size in zip(in_dims, (shape, shape[-1:], shape), strict=True):
        full = size if dim is None else [*size[: min(dim, len(size))], 4, *size[min(dim, len(size)) :]]
        inputs.append(torch.randn(full, device=device, dtype=torch.float64))
    in_dims = tuple(d if d is None else min(d, t.dim() - 1) for d, t in zip(in_dims, inputs, strict=True))
    torch.testing.assert_close(torch.vmap(op.bias_gelu_residual, in_dims)(*inputs),
                               torch.vmap(reference, in_dims)(*inputs))
    # the backward operator by itself, with x and bias batched as they are, and grad like the residual
    backward_dims = in_dims[2], in_dims[0], in_dims[1]
    grad, x, bias = inputs[2], inputs[0], inputs[1]

    def wanted(grad, x, bias):
        first, _ = side.derivatives(x + bias, "none")
        return grad * first, (grad * first).reshape(-1, bias.shape[0]).sum(0)

    for got, want in zip(torch.vmap(op.bias_gelu_residual_backward, backward_dims)(grad, x, bias),
                         torch.vmap(wanted, backward_dims)(grad, x, bias), strict=True):
        torch.testing.assert_close(got, want)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("compiled", [False, True])
def test_autocast_casts_to_its_own_dtype(op, device, dtype, compiled):
    module, linear = side.BiasGeluResidual(op, 6), torch.nn.Linear(6, 6, device=device)

    def step(x):
        with torch.autocast(device, dtype=dtype):
            return module(linear(x), x)

    x = torch.randn(3, 6, device=device, requires_grad=True)
    out = (torch.compile(step, fullgraph=True, backend="aot_eager") if compiled else step)(x)
    out.float().sum().backward()
    assert out.dtype == dtype
    assert {p.grad.dtype for p in (x, module.bias, linear.weight)} == {torch.float32}


def test_autocast_leaves_float64(op, device):
    with torch.autocast(device, dtype=torch.bfloat16):
        assert op.bias_gelu_residual(*doubles((3, 5), device)).dtype == torch.float64


def test_module(op, device):
    module = side.BiasGeluResidual(op, 6, "tanh")
    twin = copy.deepcopy(module)
    twin.load_state_dict({"bias": torch.ones(6)})
    x, _, residual = tensors((6, 4), device)
    out = twin(x.t(), residual.t())  # a module takes any strides
    torch.testing.assert_close(out, reference(x.t(), twin.bias, residual.t(), "tanh"))
    assert not torch.equal(out, module(x.t(), residual.t()))


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("approximate", APPROXIMATE)
def test_pybind_functions(kernels, device, function, approximate):
    inputs = doubles((4, 6), device)
    out = function.apply(*inputs, approximate, kernels)
    torch.testing.assert_close(out, reference(*inputs, approximate))
    assert gradcheck(lambda *t: function.apply(*t, approximate, kernels), inputs)
    for i in range(3):  # expanded gradient, one input at a time
        only = [t.detach().requires_grad_(i == j) for j, t in enumerate(inputs)]
        function.apply(*only, approximate, kernels).sum().backward()
        assert [t.grad is None for t in only] == [i != j for j in range(3)]


def test_once_differentiable_refuses_where_it_can_see(kernels, device):
    x, bias, residual = doubles((4, 6), device)
    call = functools.partial(side.BiasGeluResidualFunction.apply, x, bias, residual, "none", kernels)
    first, = torch.autograd.grad(call().square().sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="differentiate twice"):
        first.sum().backward()
    first, = torch.autograd.grad(call().sum(), x, create_graph=True)
    assert not first.requires_grad  # the gap: the incoming gradient is a constant, so nothing is refused


def test_the_pair_of_functions_is_differentiable_twice(kernels, device):
    for approximate in APPROXIMATE:
        call = lambda *t, a=approximate: side.TwiceDifferentiableFunction.apply(*t, a, kernels)  # noqa: E731
        assert gradgradcheck(call, doubles((3, 5), device))


def test_torch_func_grad(op, kernels, device):
    """The pair of functions works; for an operator with register_autograd, PyTorch refuses and says so."""
    inputs = [t.detach() for t in doubles((3, 5), device)]
    twice = lambda *t: side.TwiceDifferentiableFunction.apply(*t, "none", kernels)  # noqa: E731

    def loss(call):
        return lambda *t: call(*t).square().sum()

    for got, want in zip(torch.func.grad(loss(twice), (0, 1, 2))(*inputs),
                         torch.func.grad(loss(reference), (0, 1, 2))(*inputs), strict=True):
        torch.testing.assert_close(got, want)
    with pytest.raises(RuntimeError, match="functorch transforms"):
        torch.func.grad(loss(op.bias_gelu_residual))(*inputs)
