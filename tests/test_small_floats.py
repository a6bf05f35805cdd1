"""binary16 and bfloat16 as CUDA rounds them, on both targets from one source, against exact arithmetic."""

from fractions import Fraction
from pathlib import Path

import pytest
import torch

import cudabook

SOURCE = Path(__file__).parent / "cu" / "small_floats.cu"
TYPES = {"half": torch.float16, "bf16": torch.bfloat16}
N = 4000


def bits(x: torch.Tensor) -> torch.Tensor:
    return x.view(torch.int16).int() & 0xFFFF


def values(b: torch.Tensor, dtype) -> torch.Tensor:
    return torch.where(b >= 2**15, b - 2**16, b).to(torch.int16).view(dtype)


def same(ours: torch.Tensor, wanted: torch.Tensor, dtype) -> torch.Tensor:
    """Equal bits, or both NaN."""
    return (ours == wanted) | (values(ours, dtype).isnan() & values(wanted, dtype).isnan())


@pytest.mark.feature("Numbers", "`__half` and `__nv_bfloat16`: every value to float and back")
@pytest.mark.parametrize("kind", TYPES)
def test_every_value_to_float_and_back(target, device, kind):
    op = cudabook.load(SOURCE, target)
    every = torch.arange(2**16, dtype=torch.int32, device=device)
    out, back = torch.zeros(2**16, device=device), torch.zeros_like(every)
    getattr(op, f"{kind}_to_float")(every, out, 2**16)
    wanted = values(every.cpu(), TYPES[kind]).float()
    assert torch.equal(out.cpu().nan_to_num(7e37), wanted.nan_to_num(7e37))
    getattr(op, f"{kind}_from_float")(out, back, 2**16)
    assert same(back.cpu(), every.cpu(), TYPES[kind]).all()


@pytest.mark.feature("Numbers", "`__float2half_rn`, `__float2bfloat16_rn`: to the nearest, ties to even")
@pytest.mark.parametrize("kind", TYPES)
def test_floats_are_rounded_to_nearest_even(target, device, kind):
    op = cudabook.load(SOURCE, target)
    every = values(torch.arange(2**16, dtype=torch.int32), TYPES[kind]).float()
    middle = (every[:-1].double() + every[1:].double()) / 2  # between two neighbours: ties
    ties, up, down = middle.float(), torch.tensor(torch.inf), torch.tensor(-torch.inf)
    scattered = torch.randn(N) * 10.0 ** torch.randint(-12, 6, (N,))
    near = torch.cat([ties, ties.nextafter(up), ties.nextafter(down), scattered])
    out = torch.zeros(len(near), dtype=torch.int32, device=device)
    getattr(op, f"{kind}_from_float")(near.to(device), out, len(near))
    assert same(out.cpu(), bits(near.to(TYPES[kind])), TYPES[kind]).all()


def rounded(exact: Fraction, dtype) -> torch.Tensor:
    """The nearest value of the type, ties to even, by comparing with its neighbours exactly."""
    guess = torch.tensor(float(exact), dtype=torch.float64).to(dtype)
    candidates = [values((bits(guess) + step) & 0xFFFF, dtype) for step in (-1, 0, 1)]
    finite = [c for c in candidates if c.isfinite().item()]
    return min(finite, key=lambda c: (abs(Fraction(c.double().item()) - exact), bits(c).item() & 1))


@pytest.mark.feature(
    "Numbers",
    "`__hadd`, `__hsub`, `__hmul`, `__hfma`, `__hneg`, `__habs`, `__hmax`, `__hmin`, comparisons, `__half2int_rn`, "
    "`__int2half_rn`; the same for bfloat16",
)
@pytest.mark.parametrize("kind", TYPES)
def test_arithmetic(target, device, kind):
    op, dtype = cudabook.load(SOURCE, target), TYPES[kind]
    generator = torch.Generator().manual_seed(1)
    a, b, c = (torch.randint(0, 2**16, (N,), dtype=torch.int32, generator=generator) for _ in range(3))
    if kind == "bf16":  # products at a tie, and an addend too small for double to keep
        a[:2] = bits(torch.tensor([1 + 2**-7] * 2, dtype=dtype))
        b[:2] = bits(torch.tensor([1.5] * 2, dtype=dtype))
        c[:2] = bits(torch.tensor([2.0**-100, -(2.0**-100)], dtype=dtype))
    out = torch.zeros(N, 12, dtype=torch.int32, device=device)
    getattr(op, f"{kind}_arithmetic")(a.to(device), b.to(device), c.to(device), out, N)
    out = out.cpu()
    x, y, z = (values(v, dtype) for v in (a, b, c))
    for column, wanted in enumerate([x + y, x - y, x * y]):
        assert same(out[:, column], bits(wanted), dtype).all(), column
    for i in range(N):
        if x[i].isfinite() and y[i].isfinite() and z[i].isfinite():
            exact = Fraction(x[i].item()) * Fraction(y[i].item()) + Fraction(z[i].item())
            if 0 < abs(exact) < Fraction(torch.finfo(dtype).max):
                assert values(out[i, 3:4], dtype).item() == rounded(exact, dtype).item(), i
    assert same(out[:, 4], bits(-x), dtype).all() and same(out[:, 5], bits(x.abs()), dtype).all()
    both = ~(x.isnan() | y.isnan())
    assert (values(out[:, 6], dtype) == torch.fmax(x, y))[both].all()
    assert (values(out[:, 7], dtype) == torch.fmin(x, y))[both].all()
    compared = (x == y).int() + 2 * (x < y).int() + 4 * (x >= y).int() + 8 * x.isnan().int()
    assert torch.equal(out[:, 8], compared)
    limit = x.double().nan_to_num(0).round().clamp(-(2**31), 2**31 - 1)
    assert torch.equal(out[:, 9].double(), limit)
    assert same(out[:, 10], bits((a.double() * 37 - 1000000).to(dtype)), dtype).all()


@pytest.mark.feature("Numbers", "`__half` values moved as vectors of another type")
def test_halfs_moved_as_vectors_of_another_type(target, device):
    op = cudabook.load(SOURCE, target)
    x = torch.randn(1000).half()
    out = torch.full((1000,), torch.nan, dtype=torch.float16, device=device)
    op.packed(x.to(device), out, 1000)
    assert torch.equal(out.cpu(), x * x)
