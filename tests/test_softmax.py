"""softmax on both targets, against float64. class_b.py has the public problems."""

import contextlib
import math
import re
import shutil
import subprocess

import pytest
import torch
from class_b import TOLERANCE, close
from torch._dynamo.testing import CompileCounterWithBackend
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.autograd.gradcheck import gradcheck, gradgradcheck

import cudabook
from cudabook import build, cuda

VERSIONS = [1, 2, 3, 4]
# Short rows by a few lanes, rows of a warp, of several warps, and, beyond 16,384, more than registers hold.
SHAPES = [(1, 1), (7, 1), (33, 65), (5,), (2, 3, 4, 8), (3, 1000), (3, 4097), (2, 20_001), (1, 40_000), (0, 7), (7, 0),
          (5, 0, 3)]
INF = math.inf


@pytest.fixture
def op(target):
    return cudabook.load("softmax", target)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_values_and_gradients(op, device, shape, dtype):
    x = (3 * torch.randn(shape, device=device) + 1).to(dtype)
    grad = torch.randn(shape, device=device).to(dtype)
    theirs = x.double().requires_grad_()
    wanted = torch.softmax(theirs, -1)
    dx, = torch.autograd.grad(wanted, theirs, grad.double())
    for version in VERSIONS:
        out = op.softmax(x, version)
        close(out, wanted, dtype)
        assert x.numel() == 0 or (out.double() - wanted).abs().max() <= TOLERANCE[dtype] * wanted.max()
    close(op.softmax_backward(grad, out), dx, dtype)


def test_the_widest_rows(op, device):
    """float32: 16,384 elements in registers; 57,344 in shared memory; more are read twice. C13: the opt-in is made."""
    for n in (16_384, 16_388, 57_344, 57_348):
        x, grad = torch.randn(2, 2, n, device=device)
        theirs = x.double().requires_grad_()
        wanted = torch.softmax(theirs, -1)
        close(op.softmax(x) * n, wanted * n, torch.float32)
        close(op.softmax_backward(grad, op.softmax(x)) * n, torch.autograd.grad(wanted, theirs, grad)[0] * n,
              torch.float32)


def test_shared_memory_holds_what_registers_do_not():
    op = cudabook.load("softmax", "emulator")
    for n, shared in ((16_384, 0), (16_388, 80 << 10), (57_344, 224 << 10), (57_348, 0)):
        with cudabook.profile() as profile:
            op.softmax(torch.zeros(1, n))
        assert [launch.dynamic_shared for launch in profile.launches] == [shared], n


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("n", [6, 300, 33_000])
def test_infinities_and_extremes_give_what_torch_gives(op, device, version, dtype, n):
    """C06: a row that is all -inf is NaN, as torch's; its neighbours are as they should be, forward and backward."""
    most = torch.finfo(dtype).max
    rows = torch.randn(9, n, device=device, dtype=torch.float64)
    rows[0] = -INF
    rows[1, : n // 2] = -INF
    rows[2, 1:] = -INF
    rows[3, n // 2] = INF
    rows[4, n - 1] = math.nan
    rows[5] = -most  # a mask by a large finite number: a row that is all masked is uniform
    rows[6, : n // 2] = -most
    rows[7] = most
    rows[8, 0], rows[8, 1:] = most, -most
    x = rows.to(dtype).requires_grad_()
    theirs = x.detach().double().requires_grad_()
    out, wanted = op.softmax(x, version), torch.softmax(theirs, -1)
    assert torch.equal(out.isnan(), wanted.isnan()) and out[0].isnan().all() and out[3].isnan().all()
    torch.testing.assert_close(out.double(), wanted, rtol=4 * TOLERANCE[dtype], atol=1e-7, equal_nan=True)
    assert not out[1, : n // 2].any() and out[2, 0] == 1 and out[8, 0] == 1
    grad = torch.randn(9, n, device=device).to(dtype)
    dx, wanted_dx = torch.autograd.grad(out, x, grad)[0], torch.autograd.grad(wanted, theirs, grad.double())[0]
    torch.testing.assert_close(dx.double(), wanted_dx, rtol=0, atol=4 * TOLERANCE[dtype], equal_nan=True)


@pytest.mark.parametrize("version", VERSIONS)
def test_large_values_keep_float32s_digits(op, device, version):
    """The maximum is taken away first: scaled by log2(e) before, 10,000 would cost three digits."""
    x = torch.randn(4, 500, device=device) + torch.tensor([[0.0], [1e4], [-1e4], [3e4]], device=device)
    torch.testing.assert_close(op.softmax(x, version).double(), torch.softmax(x.double(), -1), rtol=2e-6, atol=1e-12)


@pytest.mark.parametrize("version", VERSIONS)
def test_c01_equal_bits_in_every_run(op, device, version):
    """Scratch memory is used for one reduction after the other, and for the next row."""
    x = torch.randn(4, 2500, 192, device=device) if device == "cuda" else torch.randn(4, 3, 192)
    for t in (x, torch.randn(7, 4100, device=device)):
        first = op.softmax(t, version)
        grad = torch.randn_like(t)
        dx = op.softmax_backward(grad, first)
        for _ in range(50):
            assert torch.equal(op.softmax(t, version), first) and torch.equal(op.softmax_backward(grad, first), dx)


def block_of(call):
    with cudabook.profile() as profile:
        call()
    return profile.launches[0].block


@pytest.mark.parametrize("n", [256, 1024])
def test_c02_a_block_with_fewer_rows_than_it_could_have(op, device, n):
    x, grad = torch.randn(2, 33, n, device=device)
    if device == "cpu":
        x_threads = n // 16
        assert block_of(lambda: op.softmax(x)) == (x_threads, 128 // x_threads, 1)
    theirs = x.double().requires_grad_()
    wanted = torch.softmax(theirs, -1)
    with watched(device):  # synccheck: every thread is at every barrier and shuffle
        for version in VERSIONS:
            close(op.softmax(x, version), wanted, torch.float32)
        close(op.softmax_backward(grad, op.softmax(x)), torch.autograd.grad(wanted, theirs, grad)[0], torch.float32)


@contextlib.contextmanager
def watched(device):
    """On the emulator, no sanitizer may report anything."""
    if device != "cpu":
        yield
        return
    with cudabook.sanitize() as found:
        yield
    assert len(found) == 0, str(found)


@pytest.mark.parametrize("version", VERSIONS)
def test_c03_and_c05_equal_logits(op, device, version):
    """No element is counted twice or not at all, and the sum is not kept in 16 bits: 1/n, rounded once."""
    for dtype in TOLERANCE:
        for n in (2, 129, 159, 180, 192, 512, 2880, 4096):
            out = op.softmax(torch.ones(3, n, device=device, dtype=dtype), version)
            assert (out.double() * n - 1).abs().max() <= 2 * torch.finfo(dtype).eps
            assert abs(out[0].double().sum() - 1) <= 2 * torch.finfo(dtype).eps
    assert torch.equal(out[0], out[2])


def test_c15_a_launcher_returns_the_error_of_a_refused_launch(tmp_path):
    """A copy of v1 with blocks of 1,504 threads, which no GPU takes. The binding raises what a launcher returns."""
    for header in ("softmax.h", "softmax.cuh"):
        shutil.copy(build.CSRC / "softmax" / header, tmp_path)
    kernels = (build.CSRC / "softmax" / "v1_three_passes.cu").read_text().split("#define INSTANTIATE")[0]
    assert "threads_for(n, 1, 256)" in kernels
    (tmp_path / "broken.cu").write_text(kernels.replace("threads_for(n, 1, 256)", "threads_for(n, 1, 1504)") + """
extern "C" void run(const float* x, float* out, int64_t* error, int64_t n, cudaStream_t stream) {
    *error = softmax_v1(x, out, 1, n, stream);
}
""")
    op = cudabook.load(tmp_path / "broken.cu", "emulator")
    for n, wanted in ((1024, 0), (1500, 1)):  # cudaErrorInvalidValue
        out, error = torch.full((n,), math.nan), torch.zeros(1, dtype=torch.int64)
        op.run(torch.zeros(n), out, error, n)
        assert error.item() == wanted and out.isnan().all() == bool(wanted)
    bindings = (build.CSRC / "softmax" / "bindings.cpp").read_text()
    assert len(re.findall("C10_CUDA_CHECK", bindings)) == len(re.findall("getCurrentCUDAStream", bindings))


CHANGES = [
    (lambda x, o: (x[0, 0], o[0, 0]), {}, ValueError, ["has no dimension", "reshape(1)"]),
    (lambda x, o: (x.t(), o.t()), {}, ValueError, ["has strides [1, 6]", ".contiguous()"]),
    (lambda x, o: (x.int(), o.int()), {}, TypeError, ["has dtype Int", "expected float32, float64, float16 or"]),
    (lambda x, o: (x, o), {"version": 5}, ValueError, ["version is 5, expected 1, 2, 3 or 4"]),
    (lambda x, o: (x, o[:1]), None, ValueError, ["out has shape [1, 6]", "expected [4, 6]"]),
    (lambda x, o: (x, o.double()), None, TypeError, ["out has dtype Double", "expected Float"]),
    (lambda x, o: (x, o.to("meta")), None, ValueError, ["on meta"]),
    (lambda x, o: (x[:1].expand(4, 6), o), None, ValueError, ["grad has strides [0, 1]"]),
]


@pytest.mark.parametrize("change, options, error, words", CHANGES)
def test_rules_are_named(op, device, change, options, error, words):
    x, out = change(*torch.randn(2, 4, 6, device=device))
    calls = [] if options is None else [lambda: op.softmax(x, **options)]  # None: the backward's own rules
    calls += [] if options else [lambda: op.softmax_backward(x, out)]
    for call in calls:
        with pytest.raises(error, match="softmax: ") as caught:
            call()
        assert all(word in str(caught.value) for word in words), caught.value


@pytest.mark.parametrize("change", [c[0] for c in CHANGES if not c[1] and c[3][0] != "has dtype Int"])
def test_the_fake_refuses_what_the_operator_refuses(op, device, change):
    grad, out = map(FakeTensorMode().from_tensor, change(*torch.randn(2, 4, 6, device=device)))
    with pytest.raises((ValueError, TypeError), match="softmax: "):
        op.softmax_backward(grad, out)


@pytest.mark.parametrize("version", VERSIONS)
def test_gradcheck_of_both_operators(op, device, version):
    x, out = (torch.randn(3, 5, device=device, dtype=torch.float64, requires_grad=True) for _ in range(2))
    for check in (gradcheck, gradgradcheck):
        assert check(lambda x: op.softmax(x, version), x)
        assert check(op.softmax_backward, (x, out))


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_opcheck(op, device, dtype):
    x, out = (torch.randn(3, 5, device=device).to(dtype).requires_grad_() for _ in range(2))
    for call, inputs in ((op.softmax, (x,)), (op.softmax, (x, 2)), (op.softmax_backward, (x, out))):
        assert set(torch.library.opcheck(call.default, inputs).values()) == {"SUCCESS"}


def test_compile_without_graph_break(op, device):
    counter = CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(lambda x: op.softmax(x).square().sum(), fullgraph=True, dynamic=True, backend=counter)
    for rows, n in ((3, 6), (4, 9), (9, 40)):
        x = torch.randn(rows, n, device=device, requires_grad=True)
        got, = torch.autograd.grad(compiled(x), x)
        wanted, = torch.autograd.grad(torch.softmax(x, -1).square().sum(), x)
        torch.testing.assert_close(got, wanted)
    assert counter.frame_count == 1


def test_vmap(op, device):
    x, grad = torch.randn(2, 4, 5, 3, device=device)
    out = torch.func.vmap(op.softmax, in_dims=1)(x)
    torch.testing.assert_close(out, torch.softmax(x, -1).movedim(1, 0))
    dx = torch.func.vmap(op.softmax_backward, in_dims=(1, 0))(grad, out)
    assert torch.equal(dx, op.softmax_backward(grad.movedim(1, 0).contiguous(), out))
    shared = torch.func.vmap(op.softmax_backward, in_dims=(None, 0))(grad[:, 0], out)
    assert torch.equal(shared, op.softmax_backward(grad[:, 0].expand(5, 4, 3).contiguous(), out))


@pytest.mark.parametrize("version", VERSIONS)
def test_sanitizers_find_nothing(version):
    op = cudabook.load("softmax", "emulator")
    with cudabook.sanitize() as found:
        for dtype in TOLERANCE:
            for rows, n in ((3, 70), (2, 1024), (3, 4)):
                for shift in (0, 1):
                    whole = torch.randn(rows * n + 8).to(dtype)
                    x = whole[shift : shift + rows * n].view(rows, n)
                    op.softmax_backward(x, op.softmax(x, version))
        op.softmax(torch.randn(2, 17_000), version)
        if version < 4:  # C01: the next row of a block uses the same scratch memory
            op.softmax(torch.randn(4100, 33 * 16 if version == 3 else 33), version)
    assert len(found) == 0, str(found)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_each_byte_is_read_once(dtype):
    """v4 and the backward: 16 bytes an access, in whole sectors, and nothing a second time."""
    op = cudabook.load("softmax", "emulator")
    for n in (64, 512, 2048):
        x = aligned(torch.randn(32, n).to(dtype))
        for call, reads in ((lambda x: op.softmax(x), 1), (lambda x: op.softmax_backward(x, x), 2)):
            with cudabook.profile() as profile:
                call(x)
            [launch] = profile.launches
            assert all(a.size == 16 for a in launch.accesses if a.space == "global")
            assert launch.total("bytes", "load") == reads * x.nbytes and launch.total("bytes", "store") == x.nbytes
            assert launch.total("sectors", "load") == launch.total("ideal_sectors", "load")


@pytest.mark.skipif(cuda.toolkit() is None, reason="needs nvcc")
@pytest.mark.parametrize("file, reads", [("v4_vectorized.cu", 1), ("backward_v1.cu", 2)])
def test_nvcc_keeps_accesses_of_16_bytes(tmp_path, file, reads):
    """What the emulator cannot see: the aligned kernels read and write vectors in nvcc's code too."""
    command = [cuda.toolkit() / "bin" / "nvcc", "-O3", "-std=c++17", "-arch=sm_90", "-ptx", "-o", tmp_path / "out.ptx"]
    subprocess.run([*command, build.CSRC / "softmax" / file], check=True, capture_output=True)
    kernels = [k for k in (tmp_path / "out.ptx").read_text().split(".entry ")[1:]
               if re.match(r"\w+(softmax|backward)_kernelILb1E", k)]
    assert len(kernels) == 4
    for kernel in kernels:
        loads, stores = (len(re.findall(rf"{op}\.global\S*\.v[24]", kernel)) for op in ("ld", "st"))
        assert (loads, stores) == (4 * reads, 4)


def aligned(t):
    """A copy that starts at a multiple of 256 bytes, as the GPU's tensors do."""
    whole = t.new_empty(t.numel() + 256)
    start = -(whole.data_ptr() // t.element_size()) % (256 // t.element_size())
    return whole[start : start + t.numel()].view(t.shape).copy_(t)
