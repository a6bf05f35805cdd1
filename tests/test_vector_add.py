"""vector_add on both targets: values, dtypes, shapes, rules, autograd, and the public problems that touch it."""

import gc
import weakref
from pathlib import Path

import pytest
import torch

import cudabook

DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
VERSIONS = [1, 2, 3]
SIZES = [1, 2, 3, 7, 8, 31, 33, 255, 257, 1000, 4097, 100_003]


@pytest.fixture
def op(target):
    return cudabook.load("vector_add", target)


@pytest.fixture
def needs_gpu(target):
    if target != "cuda":
        pytest.skip("means nothing on the emulator: sizes, streams and graphs are the GPU's")


def pair(n, device, dtype=torch.float32):
    """Two different, asymmetric vectors."""
    return torch.randn(n, device=device, dtype=dtype), torch.randn(n, device=device, dtype=dtype) * 3 + 1


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_values(op, device, version, dtype):
    for n in SIZES:
        a, b = pair(n, device, dtype)
        assert torch.equal(op.vector_add(a, b, version), a + b), n


@pytest.mark.parametrize("version", VERSIONS)
def test_special_values(op, device, version):
    special = [0.0, -0.0, torch.inf, -torch.inf, torch.nan, 1e-45, 3.4e38, -1e-40]
    a, b = (torch.tensor(v, device=device) for v in zip(*((x, y) for x in special for y in special), strict=True))
    assert torch.equal(op.vector_add(a, b, version).isnan(), (a + b).isnan())
    assert torch.equal(op.vector_add(a, b, version).nan_to_num(7), (a + b).nan_to_num(7))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("shape", [(), (1,), (3, 5), (2, 3, 4, 5), (1, 1, 129)])
def test_shapes_are_kept(op, device, version, shape):
    a, b = torch.randn(shape, device=device), torch.randn(shape, device=device)
    out = op.vector_add(a, b, version)
    assert out.shape == a.shape and torch.equal(out, a + b)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_b10_unaligned_starts(op, device, version, dtype):
    for start_a in range(5):
        for start_b in (0, start_a):
            a, b = pair(1030, device, dtype)
            a, b = a[start_a : start_a + 1001], b[start_b : start_b + 1001]
            assert torch.equal(op.vector_add(a, b, version), a + b), (start_a, start_b)


def test_head_vectors_and_tail_of_v3(target, device):
    """The raw launcher on buffers that all start at the same odd address; nothing beside the n elements is written."""
    raw = cudabook.load(Path(__file__).parent / "cu" / "vector_add_raw.cu", target)
    for start in range(5):
        for n in (1, 2, 3, 4, 5, 16, 17, 1000):
            a, b = pair(start + n + 8, device)
            out = torch.full_like(a, torch.nan)
            raw.add(a, b, out, start, n)
            inside = slice(start, start + n)
            assert torch.equal(out[inside], (a + b)[inside]), (start, n)
            assert out[:start].isnan().all() and out[start + n :].isnan().all(), (start, n)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("shape", [(0,), (0, 7168), (5, 0, 3), (0, 2)])
def test_b06_empty_input(op, device, version, shape):
    a = torch.randn(shape, device=device, requires_grad=True)
    out = op.vector_add(a, torch.randn(shape, device=device), version)
    assert out.shape == shape
    out.sum().backward()
    assert a.grad.shape == shape
    assert (torch.ones(3, device=device) + 1).sum().item() == 6  # no error is left behind


@pytest.mark.parametrize("change, error, words", [
    (lambda a, b: (a, b[:-1]), ValueError, ["b has shape [9]", "expected [10]"]),
    (lambda a, b: (a, b[:1]), ValueError, ["no broadcasting"]),
    (lambda a, b: (a, b.double()), TypeError, ["b has dtype Double", "expected Float"]),
    (lambda a, b: (a.int(), b.int()), TypeError, ["a has dtype Int", "float32, float64, float16 or bfloat16"]),
    (lambda a, b: (a.bool(), b.bool()), TypeError, ["a has dtype Bool"]),
    (lambda a, b: (a, b.to("meta")), ValueError, ["on meta"]),
    (lambda a, b: (a.expand(3, 10), b.expand(3, 10)), ValueError, ["a has strides [0, 1]", "contiguous"]),
    (lambda a, b: (a, b.repeat(2)[::2]), ValueError, ["b has strides [2]", "contiguous"]),
])
def test_rules_are_named(op, device, change, error, words):
    a, b = change(*pair(10, device))
    with pytest.raises(error) as caught:
        op.vector_add(a, b)
    for word in words:
        assert word in str(caught.value)


def test_unknown_version(op, device):
    with pytest.raises(ValueError, match="version is 4, expected 1, 2 or 3"):
        op.vector_add(*pair(4, device), 4)


def test_b03_permuted_input_is_refused(op, device):
    x = torch.randn(1, 4, 5, 3, device=device).permute(0, 3, 1, 2)
    with pytest.raises(ValueError, match="contiguous"):
        op.vector_add(x, x)
    dense = x.contiguous()
    assert torch.equal(op.vector_add(dense, dense), x + x)


@pytest.mark.parametrize("version", VERSIONS)
def test_b14_output_is_fresh(op, device, version):
    a, b = pair(100, device)
    keep = a.clone(), b.clone()
    out = op.vector_add(a, b, version)
    out.fill_(0)
    assert torch.equal(a, keep[0]) and torch.equal(b, keep[1])


@pytest.mark.parametrize("version", VERSIONS)
def test_same_tensor_twice(op, device, version):
    a, _ = pair(100, device)
    assert torch.equal(op.vector_add(a, a, version), 2 * a)


@pytest.mark.parametrize("dtype", DTYPES)
def test_opcheck(op, device, dtype):
    a, b = (x.requires_grad_() for x in pair(37, device, dtype))
    result = torch.library.opcheck(op.vector_add.default, (a, b, 1))
    assert set(result.values()) == {"SUCCESS"}


def test_gradcheck(op, device):
    a, b = (x.requires_grad_() for x in pair(9, device, torch.float64))
    assert torch.autograd.gradcheck(op.vector_add, (a, b))
    assert torch.autograd.gradgradcheck(op.vector_add, (a, b))


@pytest.mark.parametrize("reduce", ["sum", "mean"])
def test_b01_expanded_gradient(op, device, reduce):
    a, b = (x.requires_grad_() for x in pair(64, device))
    getattr(op.vector_add(a, b), reduce)().backward()
    wanted = torch.full_like(a, 1.0 if reduce == "sum" else 1 / 64)
    assert torch.equal(a.grad, wanted) and torch.equal(b.grad, wanted)


def test_b22_gradient_reaches_the_inputs(op, device):
    a, b = (x.requires_grad_() for x in pair(8, device))
    out = op.vector_add(a, b)
    assert out.requires_grad
    (out * torch.arange(8, device=device)).sum().backward()
    assert torch.equal(a.grad, torch.arange(8.0, device=device)) and torch.equal(b.grad, a.grad)


def test_b24_only_one_input_needs_a_gradient(op, device):
    a, b = pair(8, device)
    b.requires_grad_()
    op.vector_add(a, b).sum().backward()
    assert a.grad is None and torch.equal(b.grad, torch.ones_like(b))


def test_b16_forward_without_backward_keeps_nothing(op, device):
    a, b = (x.requires_grad_() for x in pair(8, device))
    op.vector_add(a, b)
    if device == "cuda":
        before = torch.cuda.memory_allocated()
        for _ in range(1000):
            op.vector_add(a, b)
        assert torch.cuda.memory_allocated() == before
    else:
        ghosts = [weakref.ref(op.vector_add(a, b).grad_fn) for _ in range(10)]
        gc.collect()
        assert [ghost() for ghost in ghosts] == [None] * 10


def test_b19_autocast_leaves_dtypes_alone_and_names_them(op, device):
    a, b = pair(8, device)
    with torch.autocast(device, dtype=torch.bfloat16):
        assert op.vector_add(a, b).dtype == torch.float32
        with pytest.raises(TypeError, match=r"BFloat16.*Float|Float.*BFloat16"):
            op.vector_add(a.bfloat16(), b)


def test_compile_without_graph_break(op, device):
    compiled = torch.compile(lambda a, b: op.vector_add(a, b) * 2, fullgraph=True, backend="aot_eager")
    for n in (5, 6, 7):
        a, b = pair(n, device)
        assert torch.equal(compiled(a, b), (a + b) * 2)


def test_b21_device_without_index(op, device):
    a, b = torch.ones(4, device=torch.device(device)), torch.ones(4, device=device)
    assert torch.equal(op.vector_add(a, b), a + b)


def test_pybind_module(target, device):
    module = cudabook.load("vector_add", target, binding="pybind")
    a, b = pair(1000, device)
    assert torch.equal(module.vector_add(a, b), a + b)
    assert module.vector_add(a[:0], b[:0]).shape == (0,)
    with pytest.raises(ValueError, match="shapes are"):
        module.vector_add(a, b[:10])


@pytest.mark.parametrize("version", VERSIONS)
def test_b07_more_than_2_to_the_31_elements(op, device, needs_gpu, version):
    n = 2**31 + 1000
    a = torch.arange(n, device=device, dtype=torch.int64).remainder_(97).to(torch.float16)
    b = torch.ones(n, device=device, dtype=torch.float16)
    out = op.vector_add(a, b, version)
    for part in (slice(0, 1000), slice(2**31 - 500, 2**31 + 500), slice(n - 1000, n)):
        assert torch.equal(out[part], a[part] + 1)


@pytest.mark.parametrize("version", VERSIONS)
def test_b11_current_stream(op, device, needs_gpu, version):
    n = 1 << 24
    a, b = torch.zeros(n, device=device), torch.zeros(n, device=device)
    big = torch.randn(4096, 4096, device=device)
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    for i in range(20):
        with torch.cuda.stream(stream):
            big @ big
            a.fill_(i)
            b.fill_(1)
            out = op.vector_add(a, b, version)
            wrong = (out != i + 1).sum()
        stream.synchronize()
        assert wrong.item() == 0


@pytest.mark.parametrize("version", VERSIONS)
def test_b12_cuda_graph(op, device, needs_gpu, version):
    a, b = pair(10_000, device)
    op.vector_add(a, b, version)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = op.vector_add(a, b, version)
    for _ in range(3):
        a.normal_()
        b.normal_()
        graph.replay()
        assert torch.equal(out, a + b)


def test_b05_second_gpu(op, needs_gpu):
    if torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    a, b = pair(1000, "cuda:1")
    assert torch.equal(op.vector_add(a, b), a + b) and torch.cuda.current_device() == 0
    with pytest.raises(ValueError, match="b is on cuda:0"):
        op.vector_add(a, b.to("cuda:0"))


def test_tensor_on_the_wrong_device_is_refused(op, needs_gpu):
    with pytest.raises(NotImplementedError, match="CPU"):
        op.vector_add(*pair(4, "cpu"))
