"""Mathematical, rounding, conversion and integer functions, against float64, exact fractions and plain integers."""

import math
import struct
from fractions import Fraction
from pathlib import Path

import pytest
import torch

import cudabook

SOURCE = Path(__file__).parent / "cu" / "maths.cu"
MODES = ["rn", "rz", "ru", "rd"]


@pytest.fixture
def op(target):
    return cudabook.load(SOURCE, target)


@pytest.mark.feature(
    "Numbers",
    "`rsqrtf`, `rcbrtf`, `sinpif`, `normcdff`, `erff`, `erfinvf`, `rhypotf`, `norm3df` and others; the fast `__expf`, "
    "`__log2f`, `__sinf`, `__powf`, `__fdividef`",
)
def test_single_precision(op, device):
    x = torch.linspace(-7.9, 7.9, 1001, device=device)
    y = torch.linspace(3.5, 0.25, 1001, device=device)
    out = torch.full((24, 1001), torch.nan, device=device)
    op.single(x, y, out, 1001)
    a, b = x.double().cpu(), y.double().cpu()
    root = (a**2 + b**2 + 4).sqrt()
    special = torch.special
    wanted = [
        a.abs().rsqrt(), a.sign() * a.abs() ** (-1 / 3), (a * math.pi).sin(), (a * math.pi).cos(),
        (a * math.pi).sin(), (a * math.pi).cos(), special.ndtr(a), special.erf(a), special.erfc(a), 10**a,
        (a**2 + b**2).rsqrt(), root, (root**2 + 9).sqrt(), special.erfinv((x / 16).double().cpu()),
        special.erfinv(-(1 + x / 16 - 1).double().cpu()), special.ndtri((0.5 + x / 32).double().cpu()), a / b, a.exp(),
        a.abs().log2(), a.sin(), a.abs() ** b, a.clamp(0, 1), a.abs().rsqrt(), (x / 8).double().cpu().tan(),
    ]
    for k, right in enumerate(wanted):
        off = (out[k].cpu().double() - right).abs()
        # The fast ones lose bits on a GPU: __sinf and __log2f are bounded in absolute terms.
        allowed = 1e-5 * right.abs() + 1e-6
        assert (off <= allowed).all(), (k, off.max(), x[off.argmax()])


def exact(name, a, b, c):
    """The exact value as a fraction, or its square for the square root."""
    a, b, c = Fraction(a), Fraction(b), Fraction(c)
    return {"add": a + b, "sub": a - b, "mul": a * b, "div": a / b, "fma": a * b + c, "rcp": 1 / a}[name]


@pytest.mark.feature("Numbers", "`__fadd_rd`, `__fmaf_ru`, `__dsqrt_rz` and their like: arithmetic in four roundings")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_directed_rounding(op, device, dtype):
    x, y, z = (torch.randn(500, dtype=torch.float64).mul(s).to(dtype) for s in (1, 1e3, 1e-3))
    out = torch.zeros(28, 500, dtype=dtype, device=device)
    run = op.rounded if dtype == torch.float32 else op.rounded_double
    run(x.to(device), y.to(device), z.to(device), out, 500)
    out = out.cpu()
    for k, name in enumerate(["add", "sub", "mul", "div", "fma", "rcp"]):
        down, up, nearest, zero = (out[4 * k + MODES.index(m)] for m in ("rd", "ru", "rn", "rz"))
        for i in range(500):
            right = exact(name, x[i].item(), y[i].item(), z[i].item())
            low, high = down[i].item(), up[i].item()
            assert Fraction(low) <= right <= Fraction(high), (name, i)
            neighbour = torch.nextafter(down[i], torch.tensor(math.inf, dtype=dtype)).item()
            assert high == low == right or high == neighbour, (name, i)  # nothing lies between the two
            assert zero[i].item() == (low if right > 0 else high), (name, i)
            closer = low if right - Fraction(low) < Fraction(high) - right else high
            if right - Fraction(low) != Fraction(high) - right:
                assert nearest[i].item() == closer, (name, i)
    for i in range(500):  # the square root: compared by squares
        right = abs(Fraction(x[i].item()))
        low, high = out[24 + 3][i].item(), out[24 + 2][i].item()
        assert Fraction(low) ** 2 <= right <= Fraction(high) ** 2


@pytest.mark.feature(
    "Numbers",
    "`__float2int_rz`, `__float2uint_rd`, `__float2ll_ru`, `__double2int_rn` and their like",
)
def test_float_to_integer(op, device):
    special = [0.5, 1.5, 2.5, -0.5, -1.5, 3e9, -3e9, 5e9, 1e20, -1e20, 0.0, -7.25, 2147483520.0, math.inf, -math.inf]
    x = torch.tensor([*special, *(torch.randn(100) * 1e4).tolist()])
    out = torch.zeros(16, len(x), dtype=torch.int64, device=device)
    op.to_integer(x.to(device), out, len(x))
    limits = [(-2**31, 2**31 - 1), (0, 2**32 - 1), (-2**63, 2**63 - 1), (-2**31, 2**31 - 1)]
    whole = [lambda v: v if math.isinf(v) else round(v), lambda v: v if math.isinf(v) else math.trunc(v),
             lambda v: v if math.isinf(v) else math.ceil(v), lambda v: v if math.isinf(v) else math.floor(v)]
    for k, (low, high) in enumerate(limits):
        for m in range(4):
            for i, v in enumerate(x.tolist()):
                wanted = min(max(whole[m](v), low), high)
                assert out[4 * k + m][i].item() == wanted, (k, MODES[m], v)


@pytest.mark.feature("Numbers", "`__int2float_rz`, `__uint2float_rd`, `__ll2float_ru`, `__ull2float_rn` and their like")
def test_integer_to_float(op, device):
    x = torch.randint(-(2**63), 2**63 - 1, (400,), dtype=torch.int64)
    x[:8] = torch.tensor([0, 1, -1, 2**24 + 1, 2**53 + 1, 2**31 - 1, 2**63 - 1, -(2**63)])
    out = torch.zeros(16, 400, device=device)
    op.from_integer(x.to(device), out, 400)
    out = out.cpu()
    sources = [lambda v: (v + 2**31) % 2**32 - 2**31, lambda v: v % 2**32, lambda v: v, lambda v: v % 2**64]
    for k, source in enumerate(sources):
        nearest, zero, up, down = out[4 * k : 4 * k + 4]
        for i, v in enumerate(x.tolist()):
            right, low, high = source(v), down[i].item(), up[i].item()
            assert Fraction(low) <= right <= Fraction(high), (k, v)
            assert low == high or torch.nextafter(down[i], torch.tensor(math.inf)).item() == high, (k, v)
            assert zero[i].item() == (low if right >= 0 else high) and nearest[i].item() in (low, high), (k, v)
            if 2 * right != Fraction(low) + Fraction(high):
                assert nearest[i].item() == (low if 2 * right < Fraction(low) + Fraction(high) else high), (k, v)


def signed(v, bits=32):
    return (v + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


def parts(v, bits, sign):
    return [signed(v >> at, bits) if sign else (v >> at) % (1 << bits) for at in range(0, 32, bits)]


def joined(values, bits):
    return sum((v % (1 << bits)) << bits * i for i, v in enumerate(values))


def by_lane(a, b, bits, sign, f):
    return joined([f(x, y) for x, y in zip(parts(a, bits, sign), parts(b, bits, sign), strict=True)], bits)


def integers(a, b):
    """What the kernel computes, from two 32-bit values, as Python integers."""
    ua, ub = a % 2**32, b % 2**32
    wide = ua << 32 | ub
    both = ub << 32 | ua
    shift, rest = ub % 40 % 32, wide ^ (2**64 - 1)
    clamped = min(ub % 40, 32)
    order = (struct.pack("<Q", both)[i] for i in (0, 2, 5, 7))
    dot = sum(x * y for x, y in zip(parts(a, 8, True), parts(b, 8, True), strict=True))
    unsigned_dot = sum(x * y for x, y in zip(parts(a, 8, False), parts(b, 8, False), strict=True))
    halves, low, high = parts(a, 16, True), parts(b, 8, True)[:2], parts(b, 8, True)[2:]
    return [
        ua.bit_count(), wide.bit_count(), 32 - ua.bit_length(), 64 - wide.bit_length(),
        (ua & -ua).bit_length(), (wide & -wide).bit_length(), int(f"{ua:032b}"[::-1], 2),
        signed(int(f"{wide:064b}"[::-1], 2), 64), int.from_bytes(bytes(order), "little"),
        (both << shift >> 32) % 2**32, (both >> shift) % 2**32, (both << clamped >> 32) % 2**32,
        (both >> clamped) % 2**32, ua * ub >> 32, a * b >> 32, signed(wide * rest >> 64, 64),
        signed(wide, 64) * signed(rest, 64) >> 64, signed(signed(a, 24) * signed(b, 24)),
        (ua % 2**24) * (ub % 2**24) % 2**32, (abs(a - b) + 5) % 2**32, (abs(ua - ub) + 5) % 2**32, (a + b) >> 1,
        (a + b + 1) >> 1, (ua + ub) >> 1, (ua + ub + 1) >> 1, signed(dot + 7), (unsigned_dot + 7) % 2**32,
        signed(sum(x * y for x, y in zip(halves, low, strict=True)) + 7),
        signed(sum(x * y for x, y in zip(halves, high, strict=True)) + 7),
        by_lane(a, b, 8, False, lambda x, y: x + y), by_lane(a, b, 16, False, lambda x, y: x - y),
        by_lane(a, b, 8, True, max), by_lane(a, b, 16, False, min), by_lane(a, b, 8, False, lambda x, y: abs(x - y)),
        by_lane(a, b, 8, True, lambda x, y: -(x > y)), by_lane(a, b, 8, False, lambda x, y: (x + y + 1) // 2),
        by_lane(a, b, 8, False, lambda x, y: int(x == y)),
        min(ua, ub), max(ua, ub), min(signed(wide, 64), -7), max(signed(wide, 64), -7), signed(min(wide, 7 << 60), 64),
        signed(max(wide, 7 << 60), 64),
    ]


@pytest.mark.feature(
    "Numbers",
    "`__popc`, `__clz`, `__ffs`, `__brev`, `__byte_perm`, `__funnelshift_l`, `__mulhi`, `__umul64hi`, `__sad`, "
    "`__dp4a`, `__dp2a_lo`, `__vadd4` and others",
)
def test_integers(op, device):
    x, y = (torch.randint(-(2**31), 2**31 - 1, (300,), dtype=torch.int32) for _ in range(2))
    x[:5], y[:5] = torch.tensor([0, -1, -(2**31), 1, 255]), torch.tensor([0, -1, 1, -(2**31), 255])
    out = torch.zeros(43, 300, dtype=torch.int64, device=device)
    op.bits(x.to(device), y.to(device), out, 300)
    for i, (a, b) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
        assert out[:, i].tolist() == integers(a, b), (a, b)
