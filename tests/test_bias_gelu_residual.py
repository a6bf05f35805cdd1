"""bias_gelu_residual on both targets, against float64. class_b.py has the public problems."""

import math
import re
import subprocess

import pytest
import torch
from class_b import TOLERANCE, close
from torch._subclasses.fake_tensor import FakeTensorMode

import cudabook
from cudabook import build, cuda, profiling

VERSIONS = [1, 2, 3]
APPROXIMATE = ["none", "tanh"]
SHAPES = [(1, 1), (33, 65), (1000, 1000), (3, 4097), (0, 7), (7, 0), (5,), (2, 3, 4, 8), (70, 1), (300, 24)]


@pytest.fixture
def op(target):
    return cudabook.load("bias_gelu_residual", target)


@pytest.fixture
def kernels(target):
    return cudabook.load("bias_gelu_residual", target, binding="pybind")


def tensors(shape, device, dtype=torch.float32, grad=False):
    """x, bias, residual: different, asymmetric, and x + bias on both sides of zero."""
    x, bias, residual = (torch.randn(s, device=device, dtype=dtype) for s in (shape, shape[-1:], shape))
    return [t.requires_grad_(grad) for t in (2 * x, bias + 0.3, 3 * residual + 1)]


def reference(x, bias, residual, approximate="none"):
    return exact_gelu(x + bias, approximate) + residual


def exact_gelu(u, approximate):
    """In float64, without the cancellation of 1 + erf and 1 + tanh below zero."""
    if approximate == "tanh":
        return u * torch.sigmoid(2 * math.sqrt(2 / math.pi) * (u + 0.044715 * u**3))
    return u * 0.5 * torch.erfc(-u * math.sqrt(0.5))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_values_and_gradients(op, device, shape, dtype):
    for approximate in APPROXIMATE:
        ours = tensors(shape, device, dtype)
        theirs = [t.double().detach().clone().requires_grad_() for t in ours]
        grad = torch.randn(shape, device=device, dtype=dtype)
        wanted = reference(*theirs, approximate)
        dx, dbias, _ = torch.autograd.grad(wanted, theirs, grad.double())
        for version in VERSIONS:
            close(op.bias_gelu_residual(*ours, approximate, version), wanted, dtype)
            got = op.bias_gelu_residual_backward(grad, *ours[:2], approximate, version)
            close(got[0], dx, dtype)
            close(got[1], dbias, dtype)
            assert got[0].data_ptr() != got[1].data_ptr() or not dx.numel()


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("approximate", APPROXIMATE)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_every_16_bit_value_is_rounded_as_it_should(op, device, version, approximate, dtype):
    """The result is the exact one or lies within a fiftieth of a rounding step of a tie: an error of 2e-5 at most."""
    x = torch.arange(2**16, device=device).to(torch.uint16).view(dtype)
    x = x[x.isfinite()].reshape(-1, 8)
    zero = torch.zeros_like(x)
    got = op.bias_gelu_residual(x, zero[0], zero, approximate, version)
    u = x.double().requires_grad_()
    exact = exact_gelu(u, approximate)
    assert_between(got, exact, 2e-5 if dtype == torch.float16 else 2e-4)
    # The derivative goes through zero, where its error is relative to what it is the sum of: at most about 0.2.
    dx, _ = op.bias_gelu_residual_backward(torch.ones_like(x), x, zero[0], approximate, version)
    wanted, = torch.autograd.grad(exact.sum(), u)
    inside = x.double().abs() < 1e6  # float64's own formula overflows far out
    close(dx[inside], wanted[inside], dtype)
    far = x.abs() > 100
    assert torch.equal(dx[far], (x[far] > 0).to(dtype))


def assert_between(got, exact, error):
    """got is what some number within that relative error of exact rounds to; or near it, where digits run out."""
    low, high = (exact * (1 + sign * error * exact.sign()) for sign in (-1, 1))
    tiny = 1.2e-7 if got.dtype == torch.float16 else 1e-36  # float16's last digits; the end of float32's exponents
    fits = ((low - tiny).to(got.dtype) <= got) & (got <= (high + tiny).to(got.dtype))
    assert fits.all(), (got[~fits][:5], exact[~fits][:5])


@pytest.mark.parametrize("approximate", APPROXIMATE)
def test_float32_keeps_its_digits_below_zero(op, device, approximate):
    u = torch.linspace(-9, 9, 8192, device=device).reshape(-1, 64)
    got = op.bias_gelu_residual(u, torch.zeros_like(u[0]), torch.zeros_like(u), approximate)
    exact = exact_gelu(u.double(), approximate)
    # a few roundings, and u^2 / 2 more for the rounding of the exponent; 1 + erf would be off by 100,000
    roundings = ((got.double() - exact) / exact).abs() / 2**-24 / (1 + u.double() ** 2)
    assert roundings.nan_to_num().max() < 12


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("approximate", APPROXIMATE)
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_special_values(op, device, version, approximate, dtype):
    most = torch.finfo(dtype).max
    x = torch.tensor([torch.nan, most, -most, 1e4, -1e4, 0.0, -0.0, 1e-30], device=device, dtype=dtype)
    zero, one = torch.zeros_like(x), torch.ones_like(x)
    out = op.bias_gelu_residual(x, zero, zero, approximate, version)
    dx, dbias = op.bias_gelu_residual_backward(one, x, zero, approximate, version)
    half = torch.full_like(x[5:], 0.5)
    assert out[0].isnan() and dx[0].isnan()
    assert torch.equal(out[1:5], x[1:5].clamp(min=0)) and torch.equal(dx[1:5], (x[1:5] > 0).to(dtype))
    assert torch.equal(dx[5:], half) and torch.equal(dx.nan_to_num(7), dbias.nan_to_num(7))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_dbias_is_summed_in_float32_and_rounded_once(op, device, dtype):
    """C05: summed in bfloat16, 5,000 ones would stop at 256; here gelu' is 1."""
    x = torch.full((5000, 3), 50.0, device=device, dtype=dtype)
    for version in VERSIONS:
        _, dbias = op.bias_gelu_residual_backward(torch.ones_like(x), x, torch.zeros_like(x[0]), "none", version)
        assert torch.equal(dbias, torch.full_like(dbias, 5000))


@pytest.mark.slow
def test_more_rows_than_a_grid_of_short_blocks_could_take(op, device):
    """A block walks down at least 512 rows of one column; 65,535 such blocks would be the end of the grid's y."""
    rows = 65_536 * 512 + 1
    x = torch.zeros(rows, 1, device=device, dtype=torch.float16)
    x[-1] = 1
    bias, grad = torch.zeros_like(x[0]), torch.zeros_like(x)
    grad[-1] = 1
    for version in VERSIONS:
        assert op.bias_gelu_residual(x, bias, x, "none", version).nonzero().tolist() == [[rows - 1, 0]]
        dx, dbias = op.bias_gelu_residual_backward(grad, x, bias, "none", version)
        assert dx.nonzero().tolist() == [[rows - 1, 0]] and dbias == dx[-1]


CHANGES = [
    (lambda x, b, r: (x, b[:-1], r), {}, ValueError, ["bias has shape [5]", "expected [6]"]),
    (lambda x, b, r: (x, b[None], r), {}, ValueError, ["bias has shape [1, 6]"]),
    (lambda x, b, r: (x, b, r[:1]), {}, ValueError, ["{other} has shape [1, 6]", "expected [4, 6]", "no broadcasting"]),
    (lambda x, b, r: (x[0, 0], b, r), {}, ValueError, ["x has no dimension"]),
    (lambda x, b, r: (x, b.double(), r), {}, TypeError, ["bias has dtype Double", "expected Float"]),
    (lambda x, b, r: (x, b, r.half()), {}, TypeError, ["{other} has dtype Half", "expected Float"]),
    (lambda x, b, r: (x, b.to("meta"), r), {}, ValueError, ["on meta"]),
    (lambda x, b, r: (x.t().contiguous().t(), b, r), {}, ValueError, ["x has strides [1, 4]", "x.contiguous()"]),
    (lambda x, b, r: (x, b, r[:1].expand(4, 6)), {}, ValueError, ["{other} has strides [0, 1]"]),
    (lambda x, b, r: (x, b, r), {"approximate": "erf"}, ValueError, ["approximate is 'erf'", "'none' or 'tanh'"]),
    (lambda x, b, r: (x, b, r), {"version": 4}, ValueError, ["version is 4, expected 1, 2 or 3"]),
]


@pytest.mark.parametrize("change, options, error, words", CHANGES)
def test_rules_are_named(op, kernels, device, change, options, error, words):
    x, bias, residual = change(*tensors((4, 6), device))
    calls = [("residual", lambda: op.bias_gelu_residual(x, bias, residual, **options)),
             ("grad", lambda: op.bias_gelu_residual_backward(residual, x, bias, **options))]
    if "version" not in options:
        calls += [("residual", lambda: kernels.forward(x, bias, residual, **options)),
                  ("grad", lambda: kernels.backward(residual, x, bias, **options))]
    for other, call in calls:
        with pytest.raises(error) as caught:
            call()
        assert all(word.format(other=other) in str(caught.value) for word in words), caught.value


@pytest.mark.parametrize("change, options, error, words", [c for c in CHANGES if not c[1]])
def test_the_fake_refuses_what_the_operator_refuses(op, device, change, options, error, words):
    x, bias, other = map(FakeTensorMode().from_tensor, change(*tensors((4, 6), device)))
    for call in (lambda: op.bias_gelu_residual(x, bias, other), lambda: op.bias_gelu_residual_backward(other, x, bias)):
        with pytest.raises(error, match="bias_gelu_residual: "):
            call()


def profile_of(call) -> list[profiling.Launch]:
    with cudabook.profile() as profile:
        call()
    return profile.launches


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_three_passes_and_no_more(dtype):
    """The bytes that v3 asks for: each large tensor once, by 16 bytes, in whole sectors; the rest is small."""
    op = cudabook.load("bias_gelu_residual", "emulator")
    rows, n = 512, 512
    x, bias, residual = (aligned(t) for t in tensors((rows, n), "cpu", dtype))
    matrix = rows * n * dtype.itemsize
    for call in (lambda: op.bias_gelu_residual(x, bias, residual),
                 lambda: op.bias_gelu_residual_backward(residual, x, bias)):
        first, *finish = profile_of(call)
        wide = [a for a in first.accesses if a.space == "global" and a.size == 16]
        threads = math.prod(first.grid) * math.prod(first.block)
        assert sum(a.bytes for a in wide if a.kind == "load") == 2 * matrix + 16 * threads  # each thread's bias, once
        assert sum(a.bytes for a in wide if a.kind == "store") == matrix
        assert all(a.efficiency == 1 and a.lanes_per_request == 32 for a in wide)
        sums = torch.empty(first.grid[1], n, dtype=torch.promote_types(dtype, torch.float32)).nbytes
        narrow = first.total("bytes", "load") + first.total("bytes", "store") - 3 * matrix - 16 * threads
        assert narrow == (sums if finish else 0)
        for launch in finish:
            assert launch.total("bytes", "load") == sums and launch.total("bytes", "store") == n * dtype.itemsize
        assert first.total("wavefronts", "store", "shared") == first.total("ideal_wavefronts", "store", "shared")


@pytest.mark.skipif(cuda.toolkit() is None, reason="needs nvcc")
@pytest.mark.parametrize("file", ["v2_vectorized.cu", "v3_one_pass.cu"])
def test_nvcc_keeps_accesses_of_16_bytes(tmp_path, file):
    """What the emulator cannot see: the aligned kernels read and write vectors in nvcc's code too."""
    command = [cuda.toolkit() / "bin" / "nvcc", "-O3", "-std=c++17", "-arch=sm_90", "-ptx", "-o", tmp_path / "out.ptx"]
    subprocess.run([*command, build.CSRC / "bias_gelu_residual" / file], check=True, capture_output=True)
    kernels = [k for k in (tmp_path / "out.ptx").read_text().split(".entry ")[1:] if "kernelILb1E" in k.split("(")[0]]
    assert kernels
    for kernel in kernels:
        loads, stores = (len(re.findall(rf"{op}\.global\S*\.v[24]", kernel)) for op in ("ld", "st"))
        assert stores == 2 and loads == 2 * stores + 1  # two rows at a time; and the bias


def aligned(t):
    """A copy that starts at a multiple of 256 bytes, as the GPU's tensors do."""
    whole = t.new_empty(t.numel() + 256)
    start = -(whole.data_ptr() // t.element_size()) % (256 // t.element_size())
    return whole[start : start + t.numel()].view(t.shape).copy_(t)
