"""vector_add on both targets: values, dtypes, shapes, rules, torch.compile. class_b.py has the public problems."""

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


@pytest.mark.parametrize("version", VERSIONS)
def test_same_tensor_twice(op, device, version):
    a, _ = pair(100, device)
    assert torch.equal(op.vector_add(a, a, version), 2 * a)


@pytest.mark.parametrize("dtype", DTYPES)
def test_opcheck(op, device, dtype):
    a, b = (x.requires_grad_() for x in pair(37, device, dtype))
    result = torch.library.opcheck(op.vector_add.default, (a, b, 1))
    assert set(result.values()) == {"SUCCESS"}


def test_compile_without_graph_break(op, device):
    compiled = torch.compile(lambda a, b: op.vector_add(a, b) * 2, fullgraph=True, backend="aot_eager")
    for n in (5, 6, 7):
        a, b = pair(n, device)
        assert torch.equal(compiled(a, b), (a + b) * 2)


def test_pybind_module(target, device):
    module = cudabook.load("vector_add", target, binding="pybind")
    a, b = pair(1000, device)
    assert torch.equal(module.vector_add(a, b), a + b)
    assert module.vector_add(a[:0], b[:0]).shape == (0,)
    with pytest.raises(ValueError, match="shapes are"):
        module.vector_add(a, b[:10])


def test_tensor_on_the_wrong_device_is_refused(op, needs_gpu):
    with pytest.raises(NotImplementedError, match="CPU"):
        op.vector_add(*pair(4, "cpu"))
