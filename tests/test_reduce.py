"""reduce on both targets: values, rounding, order, rules, PyTorch's tools. class_b.py has the public problems."""

import math
import re
import subprocess
from pathlib import Path

import pytest
import torch
from class_b import TOLERANCE
from torch._subclasses.fake_tensor import FakeTensorMode

import cudabook
from cudabook import build, cuda

VERSIONS = [1, 2, 3, 4]
SIZES = [1, 2, 7, 31, 32, 33, 255, 256, 257, 1000, 4097, 20_011]


@pytest.fixture
def op(target):
    return cudabook.load("reduce", target)


@pytest.fixture
def raw(target):
    return cudabook.load(Path(__file__).parent / "cu" / "reduce_raw.cu", target)


@pytest.fixture
def deterministic():
    yield torch.use_deterministic_algorithms
    torch.use_deterministic_algorithms(False)


def quarters(n, device, dtype):
    """Multiples of 1/4: float32 adds them without rounding, in whatever order, so that sums can be compared exactly."""
    return ((torch.randn(n, device=device) + 0.3) * 4).round().div(4).to(dtype)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_values(op, device, version, dtype):
    for n in SIZES:
        a = quarters(n, device, dtype)
        for part in (a, a[1:], a[3:]):  # starts that are no multiple of 16 bytes
            out = op.reduce(part, version)
            assert out.shape == () and out.dtype == dtype
            assert torch.equal(out, part.double().sum().to(dtype)), (n, part.shape)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (2, 3, 4), (1, 1)], ids=str)
def test_any_shape_even_without_elements(op, device, version, shape):
    a = torch.ones(shape, device=device, dtype=torch.float16)
    assert torch.equal(op.reduce(a, version), a.sum())


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_error_is_that_of_the_accumulator(op, device, version, dtype):
    """For numbers that do round: below that of adding one by one, and of float32 for the 16-bit types."""
    a = torch.rand(20_000, device=device, dtype=torch.float64).to(dtype)
    exact = math.fsum(a.tolist())
    accumulator = torch.finfo(torch.promote_types(dtype, torch.float32)).eps
    error = abs(op.reduce(a, version).item() - exact) / exact
    assert error <= torch.finfo(dtype).eps / 2 * (dtype.itemsize == 2) + (200 if version == 1 else 20) * accumulator


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_16_bit_sums_do_not_stall(op, device, version, dtype):
    """C05: summed in its own type, bfloat16 stays at 256 and float16 at 2048. Rounded once: 4096 + 8 + 8 is seen."""
    ones = torch.ones(4096, device=device, dtype=dtype)
    assert op.reduce(ones, version) == 4096
    step = int(4096 * torch.finfo(dtype).eps)  # what lies between 4096 and its neighbour
    tail = torch.full((step,), 0.5, device=device, dtype=dtype)
    assert op.reduce(torch.cat([ones, tail, tail]), version) == 4096 + step


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_special_values(op, device, version, dtype):
    largest = torch.finfo(dtype).max
    for values, wanted in (([1, torch.inf, 2], torch.inf), ([1, torch.inf, -torch.inf], torch.nan),
                           ([torch.nan, 1, 2], torch.nan), ([-0.0, -0.0], 0.0), ([-largest, 0, 0], -largest),
                           ([largest, largest, 0], torch.inf)):
        a = torch.zeros(300, device=device, dtype=dtype)
        a[: len(values)] = torch.tensor(values, dtype=dtype)
        got = op.reduce(a.flip(0), version)
        assert torch.equal(got.nan_to_num(7), torch.tensor(wanted, device=device, dtype=dtype).nan_to_num(7)), values


@pytest.mark.parametrize("threads", [1, 2, 31, 33, 63, 96, 129, 159, 180, 192, 255, 256])
def test_blocks_of_any_size(raw, device, threads):
    """C03: a block whose last warp is not whole, in each kernel; the sum of n ones is n."""
    for n in (1, threads, threads + 1, 1000):
        ones = torch.ones(n, device=device)
        for kernel in (raw.tree, raw.shuffle):
            total = torch.zeros(1, device=device)
            kernel(ones, total, n, threads)
            assert total == n
        for blocks in (1, 2, 37):
            partial, counter = torch.full((blocks,), torch.nan, device=device), torch.zeros(1, device=device).int()
            total.fill_(torch.nan)
            raw.one_launch(ones, total, partial, counter, n, threads, blocks)
            assert total == n and counter == blocks


def test_a_launch_that_is_refused_is_an_error(raw, device):
    """C15: 1,500 threads are more than a block may have. The sum stays NaN, and the next call is not spoiled."""
    total = torch.full((1,), torch.nan, device=device)
    with pytest.raises(cudabook.CudaError, match="invalid"):
        raw.shuffle(torch.ones(3000, device=device), total, 3000, 1500)
    assert total.isnan()
    total.zero_()
    raw.shuffle(torch.ones(3000, device=device), total, 3000, 256)
    assert total == 3000


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_v4_gives_equal_bits_in_every_run(op, device, dtype):
    n = 100_003 if op.target == "emulator" else 50_000_003
    a = torch.randn(n, device=device).to(dtype)
    runs = torch.stack([op.reduce(a) for _ in range(10)])
    assert (runs == runs[0]).all()


def test_deterministic_algorithms(op, device, deterministic, capfd):
    a = torch.ones(10, device=device)
    deterministic(True)
    assert op.reduce(a) == 10
    for version in VERSIONS[:-1]:
        with pytest.raises(RuntimeError, match=f"version {version} adds in an order that differs .* Use version 4"):
            op.reduce(a, version)
    deterministic(True, warn_only=True)
    assert op.reduce(a, 1) == 10
    assert "Use version 4" in capfd.readouterr().err


@pytest.mark.parametrize("version", VERSIONS)
def test_sanitizers_find_nothing(version):
    """v4's last block reads what others wrote: fence and counter order it."""
    op = cudabook.load("reduce", "emulator")
    for n in (33, 20_011):
        with cudabook.sanitize() as found:
            op.reduce(quarters(n, "cpu", torch.bfloat16)[1:], version)
        assert not found, found


@pytest.mark.parametrize("change, error, words", [
    (lambda a: a.t(), ValueError, ["a has strides [1, 6]", "a.contiguous()"]),
    (lambda a: a[:1].expand(4, 6), ValueError, ["a has strides [0, 1]"]),
    (lambda a: a.int(), TypeError, ["a has dtype Int", "float32, float64, float16 or bfloat16"]),
])
def test_rules_are_named(op, device, change, error, words):
    a = change(torch.randn(4, 6, device=device))
    with pytest.raises(error) as caught:
        op.reduce(a)
    assert all(word in str(caught.value) for word in words), caught.value
    if error is ValueError:
        with pytest.raises(error, match="reduce: a "):
            op.reduce(FakeTensorMode().from_tensor(a))


def test_unknown_version(op, device):
    with pytest.raises(ValueError, match="version is 5, expected 1, 2, 3 or 4"):
        op.reduce(torch.zeros(2, device=device), 5)


@pytest.mark.parametrize("version", VERSIONS)
def test_gradcheck(op, device, version):
    a = torch.randn(3, 5, device=device, dtype=torch.float64, requires_grad=True)
    for check in (torch.autograd.gradcheck, torch.autograd.gradgradcheck):
        assert check(lambda a: op.reduce(a, version).square(), a)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_opcheck(op, device, dtype):
    a = quarters((7, 5), device, dtype).requires_grad_()
    for version in VERSIONS:
        assert set(torch.library.opcheck(op.reduce.default, (a, version)).values()) == {"SUCCESS"}


def test_compile_without_graph_break(op, device):
    counter = torch._dynamo.testing.CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(lambda a: op.reduce(a) * 2, fullgraph=True, dynamic=True, backend=counter)
    for shape in ((5, 8), (6, 9), (30, 7)):
        a = quarters(shape, device, torch.float32).requires_grad_()
        out = compiled(a)
        assert out == 2 * a.sum()
        assert torch.equal(torch.autograd.grad(out, a)[0], torch.full_like(a, 2))
    assert counter.frame_count == 1  # once for all sizes


def test_v4_reads_each_byte_once():
    op = cudabook.load("reduce", "emulator")
    whole = torch.zeros(2**15 + 64)
    start = -(whole.data_ptr() // 4) % 64
    with cudabook.profile() as profile:
        op.reduce(whole[start : start + 2**15])
    [launch] = profile.launches
    wide = [a for a in launch.accesses if a.space == "global" and a.size == 16]
    assert sum(a.bytes for a in wide) == 2**17 and all(a.efficiency == 1 for a in wide)


@pytest.mark.skipif(cuda.toolkit() is None, reason="needs nvcc")
def test_nvcc_keeps_loads_of_16_bytes(tmp_path):
    """What the emulator cannot see: v4's loop has four loads of 16 bytes before the first addition."""
    command = [cuda.toolkit() / "bin" / "nvcc", "-O3", "-std=c++17", "-arch=sm_90", "-ptx", "-o", tmp_path / "out.ptx"]
    subprocess.run([*command, build.CSRC / "reduce" / "v4_one_launch.cu"], check=True, capture_output=True)
    kernels = (tmp_path / "out.ptx").read_text().split(".entry ")[1:]
    assert len(kernels) == 4
    for kernel in kernels:
        assert len(re.findall(r"ld\.global\S*\.v[24]", kernel)) == 5  # and one in the loop for what is left
