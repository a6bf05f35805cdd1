"""layer_norm on both targets, against float64. class_b.py has the public problems."""

import math
import re
import subprocess

import pytest
import torch
from class_b import TOLERANCE, close
from torch._dynamo.testing import CompileCounterWithBackend
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.autograd.gradcheck import gradcheck, gradgradcheck

import cudabook
from cudabook import build, cuda
from cudabook.ops.layer_norm import LayerNorm

VERSIONS = [1, 2, 3]
BACKWARDS = [1, 2]
# Short rows by a few lanes, rows of a warp, of several warps, and, from 10,000 on, more than registers hold.
SHAPES = [(1, 1), (7, 1), (33, 65), (5,), (2, 3, 4, 8), (300, 24), (3, 1000), (2, 4097), (2, 10_001), (1, 20_000),
          (0, 7), (5, 0), (5, 0, 3)]


@pytest.fixture
def op(target):
    return cudabook.load("layer_norm", target)


def tensors(shape, device, dtype=torch.float32):
    """x, weight, bias, grad: different, and x with another mean in each row."""
    x, weight, bias, grad = (torch.randn(s, device=device) for s in (shape, shape[-1:], shape[-1:], shape))
    offset = torch.randn(*shape[:-1], 1, device=device)
    return [t.to(dtype) for t in (2 * x + offset, weight + 0.5, bias, grad)]


def reference(x, weight, bias, grad, eps=1e-5):
    """out, mean, rstd; dx, dweight, dbias, all in float64."""
    leaves = [t.detach().double().requires_grad_() for t in (x, weight, bias)]
    out, mean, rstd = torch.native_layer_norm(leaves[0], x.shape[-1:], *leaves[1:], eps)
    grads = torch.autograd.grad(out, leaves, grad.double())
    return (out, mean.detach()[..., 0], rstd.detach()[..., 0]), grads


def check(op, x, weight, bias, grad, versions=VERSIONS, backwards=BACKWARDS):
    """Each version gives the reference's values."""
    dtype, computed = x.dtype, torch.promote_types(x.dtype, torch.float32)
    (out, mean, rstd), grads = reference(x, weight, bias, grad)
    for version in versions:
        got = op.layer_norm(x, weight, bias, version=version)
        close(got[0], out, dtype)
        close(got[1], mean, computed)
        torch.testing.assert_close(got[2].double(), rstd, rtol=1e-5, atol=0, equal_nan=True)
    for version in backwards:
        dx, *others = op.layer_norm_backward(grad, x, *got[1:], weight, version)
        scale = rstd.nan_to_num(1).clamp(min=1)[..., None]  # dx is a difference times rstd
        close((dx / scale).to(dtype), grads[0] / scale, dtype)
        for ours, wanted in zip(others, grads[1:], strict=True):
            close(ours, wanted, dtype)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_values_and_gradients(op, device, shape, dtype):
    check(op, *tensors(shape, device, dtype))


@pytest.mark.parametrize("n", [16_384, 16_388, 57_344, 57_348])
def test_the_widest_rows(op, device, n):
    """float32: 16,384 elements in registers; 57,344 in shared memory; more are read again. C13: the opt-in is made."""
    check(op, *tensors((2, n), device), versions=[3], backwards=[2])


def test_shared_memory_holds_what_registers_do_not():
    op = cudabook.load("layer_norm", "emulator")
    for n, shared in ((16_384, 0), (16_388, 80 << 10), (57_344, 224 << 10), (57_348, 0)):
        with cudabook.profile() as profile:
            op.layer_norm(torch.zeros(1, n), torch.zeros(n), torch.zeros(n))
        assert [launch.dynamic_shared for launch in profile.launches] == [shared], n


@pytest.mark.parametrize("version", VERSIONS)
def test_the_variance_survives_a_mean_of_10_000(op, device, version):
    """E[x^2] - E[x]^2 in float32 is wrong in the first digit there: x^2 is 10^8, and float32 has 7 digits."""
    for n in (64, 1000, 17_000):
        x, weight, bias, _ = tensors((3, n), device)
        x = torch.randn(3, n, device=device) + 1e4
        wanted = torch.nn.functional.layer_norm(x.double(), (n,), weight.double(), bias.double())
        out, _, rstd = op.layer_norm(x, weight, bias, version=version)
        torch.testing.assert_close(out.double(), wanted, rtol=0, atol=1e-2)
        torch.testing.assert_close(rstd.double(), x.double().var(-1, correction=0).add(1e-5).rsqrt(), rtol=1e-4, atol=0)
        short_cut = (x * x).mean(-1) - x.mean(-1) ** 2
        assert (short_cut.double() / x.double().var(-1, correction=0) - 1).abs().max() > 0.3


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_special_values(op, device, version, dtype):
    """NaN and infinity spoil their own row and, of the sums over the rows, what they must."""
    for n in (6, 600, 17_000):
        x, weight, bias, grad = tensors((5, n), device, dtype)
        x[0, 2], x[1, n - 1], x[2] = math.nan, math.inf, 3  # the third: no variance
        out, mean, rstd = op.layer_norm(x, weight, bias, version=version)
        (wanted, *_), _ = reference(x, weight, bias, grad)
        assert torch.equal(out.isnan(), wanted.isnan()) and out[:2].isnan().all() and torch.equal(out[2], bias)
        close(out[2:], wanted[2:], dtype)
        dx, dweight, dbias = op.layer_norm_backward(grad, x, mean, rstd, weight, min(version, 2))
        assert dx[:2].isnan().all() and dx[2:].isfinite().all() and dweight.isnan().all() and dbias.isfinite().all()


def test_eps(op, device):
    x, weight, bias, grad = tensors((4, 50), device)
    for version in VERSIONS:
        for eps in (0.0, 1e-12, 0.5):
            close(op.layer_norm(x, weight, bias, eps, version)[0], reference(x, weight, bias, grad, eps)[0][0], x.dtype)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_c05_sums_over_rows_are_kept_in_float32(op, device, dtype):
    """Summed in bfloat16, 4,096 ones would stop at 256, in float16 at 2,048."""
    x = torch.tensor([1.0, -1.0], device=device, dtype=dtype).expand(4096, 2).contiguous()
    one = torch.ones_like(x)
    _, mean, rstd = op.layer_norm(x, one[0], one[0])
    for version in BACKWARDS:
        _, dweight, dbias = op.layer_norm_backward(one, x, mean, rstd, one[0], version)
        assert torch.equal(dbias, 4096 * one[0]) and torch.equal(dweight, 4096 * x[0])


@pytest.mark.parametrize("version", VERSIONS)
def test_c01_equal_bits_in_every_run(op, device, version):
    """Scratch memory is used for one sum after the other, and for the next row."""
    rows = 10_000 if device == "cuda" else 12
    for shape in ((rows, 192), (rows, 1536), (7, 8200)):
        x, weight, bias, grad = tensors(shape, device)
        results = []
        for _ in range(50 if device == "cuda" else 3):
            out, mean, rstd = op.layer_norm(x, weight, bias, version=version)
            results.append((out, mean, rstd, *op.layer_norm_backward(grad, x, mean, rstd, weight, min(version, 2))))
        assert all(torch.equal(a, b) for later in results[1:] for a, b in zip(results[0], later, strict=True))


@pytest.mark.parametrize("rows, n, forward, backward", [(33, 256, (16, 8), (32, 8)), (33, 512, (32, 4), (64, 4)),
                                                        (33, 1024, (64, 2), (128, 2))])
def test_c02_a_block_with_fewer_rows_than_it_could_have(op, device, rows, n, forward, backward):
    x, weight, bias, grad = tensors((rows, n), device)
    check(op, x, weight, bias, grad)
    if device == "cpu":
        with cudabook.sanitize() as found:  # synccheck: every thread is at every barrier and shuffle
            check(op, x, weight, bias, grad)
        assert len(found) == 0, str(found)
        with cudabook.profile() as profile:
            _, mean, rstd = op.layer_norm(x, weight, bias)
            op.layer_norm_backward(grad, x, mean, rstd, weight)
        assert [launch.block[:2] for launch in profile.launches] == [forward, backward, (32, 32)]


@pytest.mark.parametrize("n", [2, 128, 130, 158, 160, 180, 192, 2880])
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_c03_no_element_is_left_out_of_a_sum(op, device, n, dtype):
    """+1 and -1 have mean 0 and variance 1, whatever part of a block a row takes; the gradients are known too."""
    x = torch.tensor([1.0, -1.0], device=device, dtype=dtype).repeat(3, n // 2)
    one, zero = torch.ones_like(x[0]), torch.zeros_like(x[0])
    for version in VERSIONS:
        out, mean, rstd = op.layer_norm(x, one, zero, version=version)
        assert not mean.any() and (rstd - (1 + 1e-5) ** -0.5).abs().max() < 1e-6
        close(out, x.double() * (1 + 1e-5) ** -0.5, dtype)
    for version in BACKWARDS:
        dx, dweight, dbias = op.layer_norm_backward(torch.ones_like(x), x, mean, rstd, one, version)
        assert dx.abs().max() < 1e-6 and torch.equal(dbias, 3 * one)
        close(dweight, 3 * out[0].double(), dtype)


CHANGES = [
    (0, lambda t: t[0, 0], ValueError, ["x has no dimension", "reshape(1)"]),
    (0, lambda t: t.t().contiguous().t(), ValueError, ["x has strides [1, 4]", "x.contiguous()"]),
    (1, lambda t: t[:-1], ValueError, ["weight has shape [5]", "expected [6]", "x has shape [4, 6]"]),
    (1, lambda t: t.double(), TypeError, ["weight has dtype Double", "expected Float"]),
    (1, lambda t: t.to("meta"), ValueError, ["on meta"]),
    (1, lambda t: t.repeat_interleave(2)[::2], ValueError, ["weight has strides [2]", "weight.contiguous()"]),
    (2, lambda t: t[None], ValueError, ["bias has shape [1, 6]"]),
    (3, lambda t: t[:1].expand(4, 6), ValueError, ["grad has strides [0, 1]"]),
    (4, lambda t: t[:, None], ValueError, ["mean has shape [4, 1]", "expected [4]"]),
    (5, lambda t: t.half(), TypeError, ["rstd has dtype Half", "expected Float"]),
]


def changed(device, which, change):
    """x, weight, bias, grad, mean, rstd of which one is not as it should be."""
    everything = [*tensors((4, 6), device), torch.randn(4, device=device), torch.ones(4, device=device)]
    everything[which] = change(everything[which])
    return everything


@pytest.mark.parametrize("which, change, error, words", CHANGES)
def test_rules_are_named(op, device, which, change, error, words):
    x, weight, bias, grad, mean, rstd = changed(device, which, change)
    calls = [lambda: op.layer_norm(x, weight, bias)] if which < 3 else []
    calls += [lambda: op.layer_norm_backward(grad, x, mean, rstd, weight)] if which != 2 else []
    for call in calls:
        with pytest.raises(error, match="layer_norm: ") as caught:
            call()
        assert all(word in str(caught.value) for word in words), caught.value


def test_an_unknown_version_is_named(op, device):
    x, weight, bias, grad, mean, rstd = changed(device, 0, lambda t: t)
    with pytest.raises(ValueError, match=r"layer_norm: version is 4, expected 1, 2 or 3\."):
        op.layer_norm(x, weight, bias, version=4)
    with pytest.raises(ValueError, match=r"version is 3, expected 1 or 2 for the backward\."):
        op.layer_norm_backward(grad, x, mean, rstd, weight, 3)
    with pytest.raises(TypeError, match=r"x has dtype Int, expected float32, float64, float16 or bfloat16\."):
        op.layer_norm(x.int(), weight.int(), bias.int())


@pytest.mark.parametrize("which, change", [c[:2] for c in CHANGES])
def test_the_fake_refuses_what_the_operator_refuses(op, device, which, change):
    x, weight, bias, grad, mean, rstd = map(FakeTensorMode().from_tensor, changed(device, which, change))
    if which < 3:
        with pytest.raises((ValueError, TypeError), match="layer_norm: "):
            op.layer_norm(x, weight, bias)
    if which != 2:
        with pytest.raises((ValueError, TypeError), match="layer_norm: "):
            op.layer_norm_backward(grad, x, mean, rstd, weight)


@pytest.mark.parametrize("version", VERSIONS)
def test_gradcheck(op, device, version):
    leaves = [t.requires_grad_() for t in tensors((3, 5), device, torch.float64)[:3]]
    for check in (gradcheck, gradgradcheck):
        assert check(lambda *t: op.layer_norm(*t, 0.1, version)[0], leaves)


def test_mean_and_rstd_have_no_gradient_and_third_derivatives_are_true(op, device):
    """B17: mean and rstd are saved as numbers; where they are taken for constants, the third derivative is wrong."""
    leaves = [t.requires_grad_() for t in tensors((3, 5), device, torch.float64)[:3]]
    out, mean, rstd = op.layer_norm(*leaves)
    assert out.requires_grad and not mean.requires_grad and not rstd.requires_grad

    def first(*leaves):
        return torch.autograd.grad(op.layer_norm(*leaves, 0.1)[0].pow(3).sum(), leaves, create_graph=True)

    assert gradgradcheck(first, leaves)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_opcheck(op, device, dtype):
    x, weight, bias, grad = (t.requires_grad_() for t in tensors((3, 5), device, dtype))
    _, mean, rstd = op.layer_norm(x, weight, bias)
    for call, inputs in ((op.layer_norm, (x, weight, bias)), (op.layer_norm, (x, weight, bias, 0.1, 2)),
                         (op.layer_norm_backward, (grad, x, mean, rstd, weight))):
        assert set(torch.library.opcheck(call.default, inputs).values()) == {"SUCCESS"}


def test_the_module_compiles_without_graph_break(op, device):
    module, theirs = LayerNorm(op, 6), torch.nn.LayerNorm(6, device=device)
    with torch.no_grad():
        for parameter, other in zip(module.parameters(), theirs.parameters(), strict=True):
            other.copy_(parameter.normal_())
    counter = CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(module, fullgraph=True, dynamic=True, backend=counter)
    compilations = []
    for rows in (3, 4, 9):
        x = torch.randn(rows, 6, device=device, requires_grad=True)
        grads = [torch.autograd.grad(call(x).square().sum(), (x, *owner.parameters()))
                 for call, owner in ((compiled, module), (theirs, theirs))]
        for got, wanted in zip(*grads, strict=True):
            torch.testing.assert_close(got, wanted, rtol=1e-4, atol=1e-4)
        compilations.append(counter.frame_count)
    assert len(set(compilations)) == 1  # torch may start anew once for the number eps, but not for another size


@pytest.mark.parametrize("version", VERSIONS)
def test_sanitizers_find_nothing(version):
    op = cudabook.load("layer_norm", "emulator")
    with cudabook.sanitize() as found:
        for dtype, shapes in ((torch.float32, [(3, 70), (3, 1024), (300, 8)]), (torch.bfloat16, [(3, 264), (2, 70)])):
            for shape in shapes:
                x, weight, bias, grad = tensors(shape, "cpu", dtype)
                _, mean, rstd = op.layer_norm(x, weight, bias, version=version)
                op.layer_norm_backward(grad, x, mean, rstd, weight, min(version, 2))
    assert len(found) == 0, str(found)


@pytest.mark.parametrize("backward", BACKWARDS)
def test_c01_the_next_row_of_a_block_finds_its_scratch_memory_free(backward):
    """More rows than blocks, and more than a warp to a row."""
    op = cudabook.load("layer_norm", "emulator")
    for rows, n in ((1100, 264), (4100, 40)):
        x, weight, bias, grad = tensors((rows, n), "cpu")
        with cudabook.sanitize() as found:
            _, mean, rstd = op.layer_norm(x, weight, bias, version=1)
            op.layer_norm_backward(grad, x, mean, rstd, weight, backward)
        assert len(found) == 0, str(found)


def test_sanitizers_find_nothing_in_wide_rows():
    op = cudabook.load("layer_norm", "emulator")
    for n in (17_000, 17_001):
        x, weight, bias, grad = tensors((2, n), "cpu")
        with cudabook.sanitize() as found:
            _, mean, rstd = op.layer_norm(x, weight, bias)
            op.layer_norm_backward(grad, x, mean, rstd, weight)
        assert len(found) == 0, str(found)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_each_byte_is_read_once(dtype):
    """v3, and v2 of the backward: each matrix by 16 bytes, in whole sectors, and nothing a second time."""
    op = cudabook.load("layer_norm", "emulator")
    for n in (64, 512, 2048):
        x, weight, bias, grad = (aligned(t) for t in tensors((64, n), "cpu", dtype))
        with cudabook.profile() as profile:
            _, mean, rstd = op.layer_norm(x, weight, bias)
            op.layer_norm_backward(grad, x, mean, rstd, weight)
        forward, backward, finish = profile.launches
        for launch, loads, small in ((forward, 1, 2 * x.nbytes), (backward, 2, weight.nbytes)):
            wide = {kind: sum(a.bytes for a in launch.accesses if (a.kind, a.space, a.size) == (kind, "global", 16))
                    for kind in ("load", "store")}
            if launch is backward:  # each thread of a block has its part of the weight, once
                small = math.prod(launch.grid) * launch.block[1] * weight.nbytes
            assert wide == {"load": loads * x.nbytes + small, "store": x.nbytes}
        sums = 2 * backward.grid[0] * n * mean.element_size()
        assert finish.total("bytes", "load") == sums and finish.total("bytes", "store") == 2 * weight.nbytes


@pytest.mark.skipif(cuda.toolkit() is None, reason="needs nvcc")
@pytest.mark.parametrize("file, loads, stores",
                         [("v3_vectorized.cu", 4 + 8, 4), ("backward_v2_fused.cu", 2 + 4 + 4, 2)])
def test_nvcc_keeps_accesses_of_16_bytes(tmp_path, file, loads, stores):
    """What the emulator cannot see: the aligned kernels read and write vectors in nvcc's code too."""
    command = [cuda.toolkit() / "bin" / "nvcc", "-O3", "-std=c++17", "-arch=sm_90", "-ptx", "-o", tmp_path / "out.ptx"]
    subprocess.run([*command, build.CSRC / "layer_norm" / file], check=True, capture_output=True)
    kernels = [k for k in (tmp_path / "out.ptx").read_text().split(".entry ")[1:]
               if re.match(r"\w+\d\d(layer_norm|backward)_kernelILb1E", k)]
    assert len(kernels) == 4
    for kernel in kernels:
        found = [len(re.findall(rf"{op}\.global\S*\.v[24]", kernel)) for op in ("ld", "st")]
        assert found == [loads, stores]


def aligned(t):
    """A copy that starts at a multiple of 256 bytes, as the GPU's tensors do."""
    whole = t.new_empty(t.numel() + 256)
    start = -(whole.data_ptr() // t.element_size()) % (256 // t.element_size())
    return whole[start : start + t.numel()].view(t.shape).copy_(t)
