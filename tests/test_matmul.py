"""matmul on both targets, against float64. class_b.py has the public problems of operators."""

import re

import pytest
import torch

import cudabook

# Largest relative error: ‖c - wanted‖ / ‖wanted‖.
TOLERANCE = {torch.float64: 1e-14, torch.float32: 1e-6, torch.float16: 5e-4, torch.bfloat16: 4e-3}
ALL, FLOAT, HALF = (1, 2, 3, 4, 5), (6, 7, 8, 9), (10, 11)
VERSIONS = {torch.float64: ALL, torch.float32: ALL + FLOAT, torch.float16: ALL + HALF, torch.bfloat16: ALL + HALF}
CASES = [(dtype, version) for dtype, versions in VERSIONS.items() for version in versions]
# (m, n, k): one element, odd, a row, a column, multiples of 16 bytes but not of tiles, more than a tile each way
SHAPES = [(1, 1, 1), (33, 65, 17), (1, 40, 24), (100, 1, 9), (72, 136, 40), (260, 264, 72)]


@pytest.fixture
def op(target):
    return cudabook.load("matmul", target)


def matrices(m, n, k, dtype, device, grad=False):
    """With a mean that is not zero, so that an element too few is seen."""
    return [(torch.randn(s, device=device) + 0.25).to(dtype).requires_grad_(grad) for s in ((m, k), (k, n))]


def assert_product(c, a, b):
    wanted = a.double() @ b.double()
    assert c.shape == wanted.shape and c.dtype == a.dtype
    error = ((c.double() - wanted).norm() / wanted.norm()).item()
    assert error < TOLERANCE[a.dtype], f"off by {error:.1e}"


@pytest.mark.parametrize("dtype, version", CASES)
def test_values(op, device, dtype, version):
    for m, n, k in SHAPES:
        a, b = matrices(m, n, k, dtype, device)
        assert_product(op.matmul(a, b, version), a, b)


@pytest.mark.parametrize("dtype", VERSIONS)
def test_best_version_is_the_default(op, device, dtype):
    a, b = matrices(40, 50, 60, dtype, device)
    assert torch.equal(op.matmul(a, b), op.matmul(a, b, max(VERSIONS[dtype])))


@pytest.mark.parametrize("dtype, version", CASES)
def test_rows_that_do_not_start_at_16_bytes(op, device, dtype, version):
    """Sizes that would allow it, but the memory begins one element later."""
    a, b = (torch.cat([t.new_zeros(1), t.flatten()])[1:].view_as(t)
            for t in matrices(48, 32, 64, dtype, device))
    assert_product(op.matmul(a, b, version), a, b)


@pytest.mark.parametrize("shape", [(0, 5, 7), (5, 0, 7), (0, 0, 0)], ids=str)
def test_empty(op, device, shape):
    m, n, k = shape
    assert op.matmul(torch.ones(m, k, device=device), torch.ones(k, n, device=device)).shape == (m, n)


def test_a_sum_of_nothing_is_zero(op, device):
    assert op.matmul(torch.ones(3, 0, device=device), torch.ones(0, 2, device=device)).tolist() == [[0, 0]] * 3


def test_leading_dimensions(op, device):
    a, b = torch.randn(2, 3, 5, device=device), torch.randn(5, 4, device=device)
    assert op.matmul(a, b).shape == (2, 3, 4) and op.matmul(a[0, 0].clone(), b).shape == (4,)
    torch.testing.assert_close(op.matmul(a, b), a @ b)


@pytest.mark.parametrize("dtype, version", CASES)
@pytest.mark.parametrize("special", [float("inf"), float("nan")])
def test_what_is_outside_does_not_leak_in(op, device, dtype, version, special):
    """An infinity in one row or column stays there: zeros that pad a tile are not multiplied with it elsewhere."""
    a, b = matrices(33, 41, 37, dtype, device)
    a[5, 36] = special
    c = op.matmul(a, b, version)
    rows = (~c.isfinite()).any(1).nonzero().flatten().tolist()
    assert rows == [5] and not c[5].isfinite().any()


@pytest.mark.parametrize("dtype, version", [c for c in CASES if c[0] in (torch.float16, torch.bfloat16)])
def test_c05_sums_are_kept_in_float(op, device, dtype, version):
    """In bfloat16 a sum of ones ends at 256, in float16 at 2,048."""
    k = 4096
    c = op.matmul(torch.ones(3, k, device=device, dtype=dtype), torch.ones(k, 2, device=device, dtype=dtype), version)
    assert (c == k).all()


@pytest.mark.parametrize("version", ALL + FLOAT)
@pytest.mark.parametrize("shape", [(100, 100, 100), (33, 17, 65), (129, 130, 131)], ids=str)
def test_c16_sizes_that_are_no_multiple_of_a_tile(op, device, version, shape):
    m, n, k = shape
    a, b = matrices(m, n, k, torch.float32, device)
    assert_product(op.matmul(a, b, version), a, b)


@pytest.mark.parametrize("version", HALF)
@pytest.mark.parametrize("shape", [(1, 105, 107), (2, 3, 4), (5, 7, 9)], ids=str)
def test_c18_sizes_that_are_no_multiple_of_the_alignment(op, device, version, shape):
    a, b = matrices(*shape, torch.float16, device)
    assert_product(op.matmul(a, b, version), a, b)


def test_c13_more_than_48_kib_of_shared_memory_every_time(op, device):
    """The opt-in belongs to each function: both kernels of v9 and v11 have it, on the first call and on the second."""
    for dtype, version in ((torch.float32, 9), (torch.bfloat16, 11)):
        for n in (64, 63, 64):
            a, b = matrices(16, n, n, dtype, device)
            assert_product(op.matmul(a, b, version), a, b)


def test_gradients(op, device):
    a, b = matrices(5, 6, 7, torch.float64, device, grad=True)
    call = lambda a, b: op.matmul(a, b)  # noqa: E731
    assert torch.autograd.gradcheck(call, (a, b)) and torch.autograd.gradgradcheck(call, (a, b))
    for dtype, version in ((torch.float32, 9), (torch.bfloat16, 11)):
        ours = matrices(24, 40, 16, dtype, device, grad=True)
        theirs = [t.detach().double().requires_grad_() for t in ours]
        grad = torch.randn(24, 40, device=device, dtype=dtype)
        wanted = torch.autograd.grad(theirs[0] @ theirs[1], theirs, grad.double())
        for got, want in zip(torch.autograd.grad(op.matmul(*ours, version), ours, grad), wanted, strict=True):
            assert ((got.double() - want).norm() / want.norm()) < TOLERANCE[dtype]


def test_only_the_gradient_that_is_asked_for(op, device):
    a, b = matrices(3, 4, 5, torch.float32, device)
    op.matmul(a, b.requires_grad_()).sum().backward()
    assert a.grad is None and torch.allclose(b.grad, a.sum(0)[:, None].expand(5, 4))


@pytest.mark.parametrize("dtype, version", [(torch.float32, None), (torch.bfloat16, 11), (torch.float64, 5)])
def test_opcheck(op, device, dtype, version):
    for shape in ((3, 5, 4), (0, 5, 4)):
        torch.library.opcheck(op.matmul, (*matrices(*shape, dtype, device, grad=True), version))


def test_compiled_without_a_graph_break_over_sizes(op, device):
    compiled = torch.compile(lambda a, b: op.matmul(a, b) + 1, backend="aot_eager", fullgraph=True, dynamic=True)
    for shape in ((3, 4, 5), (8, 2, 7), (33, 17, 9)):
        a, b = matrices(*shape, torch.float32, device)
        torch.testing.assert_close(compiled(a, b), op.matmul(a, b) + 1)


@pytest.mark.parametrize("a, b, version, error, message", [
    ((3, 4), (5, 6), None, ValueError, "b has shape [5, 6], expected 4 rows, as many as a has columns"),
    ((3, 4), (4,), None, ValueError, "a has shape [3, 4] and b [4], expected [..., k] and [k, n]"),
    ((3, 4), (4, 6), 12, ValueError, "version is 12, expected 1 to 9 for dtype Float"),
    ((3, 4), (4, 6), 10, ValueError, "version is 10, expected 1 to 9 for dtype Float"),
])
def test_errors(op, device, a, b, version, error, message):
    with pytest.raises(error, match=re.escape(message)):
        op.matmul(torch.ones(a, device=device), torch.ones(b, device=device), version)


def test_errors_of_strides_and_dtypes(op, device):
    a, b = matrices(4, 4, 4, torch.float32, device)
    with pytest.raises(ValueError, match=re.escape("b has strides [1, 4], expected a contiguous tensor")):
        op.matmul(a, b.t())
    with pytest.raises(TypeError, match="b has dtype Half, expected Float, the dtype of a"):
        op.matmul(a, b.half())
    with pytest.raises(TypeError, match="a has dtype Int, expected float32"):
        op.matmul(a.int(), b.int())
    with pytest.raises(ValueError, match="version is 9, expected 1 to 5, 10 or 11 for dtype Half"):
        op.matmul(a.half(), b.half(), 9)
