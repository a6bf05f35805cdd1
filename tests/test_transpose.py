"""transpose on both targets: bits, shapes, rules, PyTorch's tools, banks. class_b.py has the public problems."""

import re
import subprocess

import pytest
import torch
from class_b import TOLERANCE
from torch._subclasses.fake_tensor import FakeTensorMode

import cudabook
from cudabook import build, cuda

VERSIONS = [1, 2, 3, 4, 5]
SHAPES = [(1, 1), (1, 300), (300, 1), (33, 65), (64, 128), (72, 136), (129, 257), (8, 200), (130, 63), (0, 7), (7, 0)]


@pytest.fixture
def op(target):
    return cudabook.load("transpose", target)


def numbered(shape, device, dtype):
    """Every element has bits of its own, as far as there are enough."""
    integers = {2: torch.int16, 4: torch.int32, 8: torch.int64}[dtype.itemsize]
    return torch.arange(shape[0] * shape[1], device=device).to(integers).view(dtype).view(shape)


def same_bits(got, wanted):
    integers = {2: torch.int16, 4: torch.int32, 8: torch.int64}[got.element_size()]
    return got.shape == wanted.shape and torch.equal(got.view(integers), wanted.contiguous().view(integers))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_values(op, device, version, dtype):
    """Bit by bit; those of the numbers are all kinds of values, NaN with a payload and subnormals too."""
    for shape in SHAPES:
        a = numbered(shape, device, dtype)
        out = op.transpose(a, version)
        assert out.is_contiguous() and same_bits(out, a.t()), shape


@pytest.fixture
def filled_outputs():
    """PyTorch fills what ``at::empty`` returns with NaN."""
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("shape", [(1000, 1000), (100, 100), (33, 65), (65, 33)], ids=str)
def test_every_element_is_written(op, device, filled_outputs, version, shape):
    """C16, for a transpose: tiles that stick out of the matrix, and an output that holds NaN before."""
    a = torch.randn(shape, device=device)
    assert torch.equal(op.transpose(a, version), a.t())


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_sanitizers_find_nothing(version, dtype):
    op = cudabook.load("transpose", "emulator")
    for shape in ((33, 65), (40, 72)):  # v5 with single elements, and with vectors
        with cudabook.sanitize() as found:
            op.transpose(torch.ones(shape, dtype=dtype), version)
        assert not found, found


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_starts_that_are_no_multiple_of_16_bytes(op, device, dtype):
    """v5 takes its path of single elements, for each length of a row that asks for it too."""
    for rows, n in ((64, 128), (64, 129), (65, 128)):
        whole = numbered((1, rows * n + 16), device, dtype)[0]
        for start in range(0, 9):
            a = whole[start : start + rows * n].view(rows, n)
            assert same_bits(op.transpose(a, 5), a.t()), (rows, n, start)


@pytest.mark.parametrize("change, error, words", [
    (lambda a: a[0], ValueError, ["a has shape [6]", "expected two dimensions"]),
    (lambda a: a[None], ValueError, ["a has shape [1, 4, 6]"]),
    (lambda a: a.t(), ValueError, ["a has strides [1, 6]", "a.contiguous()"]),
    (lambda a: a[:1].expand(4, 6), ValueError, ["a has strides [0, 1]"]),
    (lambda a: a.int(), TypeError, ["a has dtype Int", "float32, float64, float16 or bfloat16"]),
    (lambda a: a[:0].bool(), TypeError, ["a has dtype Bool"]),
])
def test_rules_are_named(op, device, change, error, words):
    a = change(torch.randn(4, 6, device=device))
    with pytest.raises(error) as caught:
        op.transpose(a)
    assert all(word in str(caught.value) for word in words), caught.value
    if error is ValueError:
        with pytest.raises(error, match="transpose: a "):
            op.transpose(FakeTensorMode().from_tensor(a))


def test_unknown_version(op, device):
    with pytest.raises(ValueError, match="version is 6, expected 1, 2, 3, 4 or 5"):
        op.transpose(torch.zeros(2, 2, device=device), 6)


@pytest.mark.parametrize("version", VERSIONS)
def test_gradcheck(op, device, version):
    a = torch.randn(3, 5, device=device, dtype=torch.float64, requires_grad=True)
    for check in (torch.autograd.gradcheck, torch.autograd.gradgradcheck):
        assert check(lambda a: op.transpose(a, version).square(), a)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_opcheck(op, device, dtype):
    a = torch.randn(7, 5, device=device).to(dtype).requires_grad_()
    for version in VERSIONS:
        assert set(torch.library.opcheck(op.transpose.default, (a, version)).values()) == {"SUCCESS"}


def test_compile_without_graph_break(op, device):
    counter = torch._dynamo.testing.CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(lambda a: op.transpose(a) * 2, fullgraph=True, dynamic=True, backend=counter)
    for shape in ((5, 8), (6, 9), (30, 7)):
        a = torch.randn(shape, device=device, requires_grad=True)
        out = compiled(a)
        assert torch.equal(out, 2 * a.t())
        grad = torch.randn_like(out)
        assert torch.equal(torch.autograd.grad(out, a, grad)[0], 2 * grad.t())
    assert counter.frame_count == 1  # once for all sizes


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_what_each_version_asks_of_memory(version, dtype):
    """Sectors and bank conflicts, where every tile is whole: the reason for each version."""
    op = cudabook.load("transpose", "emulator")
    rows, n = 128, 256
    whole = torch.zeros(rows * n + 256, dtype=dtype)
    start = -(whole.data_ptr() // dtype.itemsize) % (256 // dtype.itemsize)
    with cudabook.profile() as profile:
        op.transpose(whole[start : start + rows * n].view(rows, n), version)
    [launch] = profile.launches
    elements, least = rows * n, rows * n * dtype.itemsize // 32
    assert launch.total("sectors", "load") == least
    assert launch.total("sectors", "store") == (elements if version == 1 else least)
    wide = {a.size for a in launch.accesses if a.space == "global"}
    assert wide == {16 if version == 5 else dtype.itemsize}
    loads, ideal = (launch.total(c, "load", "shared") for c in ("wavefronts", "ideal_wavefronts"))
    rows_apart = {2: 16, 4: 32, 8: 16}[dtype.itemsize]  # of the threads that read from one bank in v2
    padded = 1.5 if dtype.itemsize == 2 else 1  # 33 elements of 2 bytes are no whole number of banks
    assert loads == {1: 0, 2: rows_apart, 3: padded, 4: 1, 5: 1}[version] * ideal
    assert launch.total("wavefronts", "store", "shared") == launch.total("ideal_wavefronts", "store", "shared")


@pytest.mark.skipif(cuda.toolkit() is None, reason="needs nvcc")
def test_nvcc_keeps_accesses_of_16_bytes(tmp_path):
    """What the emulator cannot see: v5 reads and writes whole vectors in nvcc's code too."""
    command = [cuda.toolkit() / "bin" / "nvcc", "-O3", "-std=c++17", "-arch=sm_90", "-ptx", "-o", tmp_path / "out.ptx"]
    subprocess.run([*command, build.CSRC / "transpose" / "v5_vectorized.cu"], check=True, capture_output=True)
    kernels = (tmp_path / "out.ptx").read_text().split(".entry ")[1:]
    vectorized = [k for k in kernels if "Li1E" not in k.split("(")[0]]
    assert len(vectorized) == 3
    for kernel in vectorized:
        loads, stores = (len(re.findall(rf"{op}\.global\S*\.v[248]", kernel)) for op in ("ld", "st"))
        assert loads == stores == 4
        assert len(re.findall(r"(?:ld|st)\.global", kernel)) == 8


@pytest.mark.slow
def test_more_rows_and_columns_than_a_grid_could_have_of_tiles(op, device):
    """65,535 tiles of 32 are 2,097,120 rows."""
    for shape in ((2_097_153, 2), (2, 2_097_153)):
        a = torch.zeros(shape, device=device, dtype=torch.float16)
        a[-1, -1] = 1
        for version in VERSIONS:
            assert op.transpose(a, version).nonzero().tolist() == [[shape[1] - 1, shape[0] - 1]]
