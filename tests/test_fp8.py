"""8-bit floats, on both targets from one source, against PyTorch's."""

from pathlib import Path

import pytest
import torch

import cudabook

SOURCE = Path(__file__).parent / "cu" / "fp8.cu"
TYPES = {True: torch.float8_e4m3fn, False: torch.float8_e5m2}
LARGEST = {True: 448.0, False: 57344.0}


@pytest.mark.feature("Numbers", "`__nv_fp8_e4m3` and `__nv_fp8_e5m2`: every value to float")
@pytest.mark.parametrize("e4m3", TYPES)
def test_every_code(target, device, e4m3):
    op = cudabook.load(SOURCE, target)
    codes = torch.arange(256, dtype=torch.uint8)
    out = torch.zeros(256, device=device)
    op.decode(codes.to(device), out, 256, e4m3)
    wanted = codes.view(TYPES[e4m3]).float()
    assert torch.equal(out.cpu().nan_to_num(7e7, 8e8, 9e9), wanted.nan_to_num(7e7, 8e8, 9e9))
    back = torch.zeros(256, dtype=torch.uint8, device=device)
    op.encode(out, back, 256, e4m3)
    finite = wanted.isfinite()
    assert torch.equal(back.cpu()[finite], codes[finite])
    assert back.cpu()[~finite].view(TYPES[e4m3]).float().isnan().equal(wanted[~finite].isnan())


@pytest.mark.feature("Numbers", "`__nv_fp8_e4m3` and `__nv_fp8_e5m2`: float to the nearest, ties to even")
@pytest.mark.parametrize("e4m3", TYPES)
def test_rounding(target, device, e4m3):
    op = cudabook.load(SOURCE, target)
    every = torch.arange(127, dtype=torch.uint8).view(TYPES[e4m3]).float()
    every = every[every.isfinite()]
    ties = (every[1:] + every[:-1]) / 2
    near = torch.cat([ties, ties.nextafter(every[1:]), ties.nextafter(every[:-1]), torch.rand(500) * LARGEST[e4m3],
                      torch.logspace(-8, 2, 500)])
    values = torch.cat([near, -near, torch.tensor([0.0, -0.0])])
    out = torch.zeros(len(values), dtype=torch.uint8, device=device)
    op.encode(values.to(device), out, len(values), e4m3)
    assert torch.equal(out.cpu(), values.to(TYPES[e4m3]).view(torch.uint8))


@pytest.mark.feature("Numbers", "`__nv_fp8_e4m3` and `__nv_fp8_e5m2`: floats beyond the largest value")
@pytest.mark.parametrize("e4m3", TYPES)
def test_too_large(target, device, e4m3):
    op = cudabook.load(SOURCE, target)
    largest = LARGEST[e4m3]
    values = torch.tensor([largest * 1.01, largest * 1.2, 1e30, torch.inf, -1e30], device=device)
    out, outs = torch.zeros(5, dtype=torch.uint8, device=device), torch.zeros(2, 5, dtype=torch.uint8, device=device)
    op.encode(values, out, 5, e4m3)
    assert out.view(TYPES[e4m3]).float().tolist() == [largest] * 4 + [-largest]
    op.unsaturated(values, outs[0], outs[1], 5)
    got = outs[0 if e4m3 else 1].view(TYPES[e4m3]).float().cpu()
    assert got[0] == largest and not got[1:].isfinite().any()
