"""Kernels as values: launches by pointer, cooperative launches, attributes, occupancy."""

from pathlib import Path

import pytest
import torch

import cudabook

SOURCE = Path(__file__).parent / "cu" / "kernels.cu"


@pytest.fixture
def op(target):
    return cudabook.load(SOURCE, target)


@pytest.mark.parametrize("how", ["launch_by_pointer", "launch_extended"])
def test_launch(op, device, how):
    x = torch.randn(1000, device=device)
    out = torch.zeros_like(x)
    getattr(op, how)(x, out, 3.0, 1000)
    assert torch.equal(out, x * 3)


@pytest.mark.parametrize("blocks, threads", [(1, 1), (1, 128), (7, 96), (40, 256)])
def test_barrier_of_the_grid(op, device, blocks, threads):
    x = torch.arange(10_000.0, device=device) % 7
    part, again, out = (torch.zeros(n, device=device) for n in (blocks, blocks, 1))
    op.grid_sum(x, part, again, out, len(x), blocks, threads)
    assert out.item() == x.sum().item() and torch.equal(part, again)


def test_more_blocks_than_the_device_holds(op, device):
    with pytest.raises(cudabook.CudaError) as caught:
        op.grid_sum(torch.ones(4, device=device), torch.zeros(4, device=device), torch.zeros(4, device=device),
                    torch.zeros(1, device=device), 4, 100_000, 1024)
    assert caught.value.name == "cudaErrorCooperativeLaunchTooLarge"


def test_attributes_and_occupancy(op, device):
    out = torch.zeros(8, dtype=torch.int32, device=device)
    op.attributes(out)
    assert out.tolist() == [0, 4096, 256, 0, 100 * 1024, 2, 32, 0]


def test_cooperative_launch_while_watched():
    op = cudabook.load(SOURCE, "emulator")
    x, part, again, out = torch.ones(1000), torch.zeros(6), torch.zeros(6), torch.zeros(1)
    with cudabook.sanitize() as found:
        op.grid_sum(x, part, again, out, 1000, 6, 64)
    assert not len(found), found
    assert out.item() == 1000
