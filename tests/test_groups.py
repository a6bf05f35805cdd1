"""Cooperative groups, on both targets from one source, and assert on the emulator."""

from pathlib import Path

import pytest
import torch

import cudabook

GROUPS = Path(__file__).parent / "cu" / "groups.cu"


@pytest.mark.feature(
    "Cooperative groups",
    "`tiled_partition`; a tile's `shfl`, `shfl_up`, `shfl_down`, `shfl_xor`, `ballot`; `reduce`, `inclusive_scan`",
)
@pytest.mark.parametrize("size", [4, 16, 32])
def test_tiles(target, device, size):
    op = cudabook.load(GROUPS, target)
    values = torch.randint(0, 100, (2 * 96,), dtype=torch.int32)
    out = torch.full((2 * 96, 10), -1, dtype=torch.int32, device=device)
    op.tiles(values.to(device), out, size, 2, 96)
    for i, got in enumerate(out.tolist()):
        rank, first = i % size, i - i % size
        tile = values[first : first + size].tolist()
        ballot = sum((v % 2 == 0) << k for k, v in enumerate(tile))
        wanted = [rank, i % 96 // size * 100 + 96 // size, tile[size // 2], tile[min(rank + 1, size - 1)],
                  tile[max(rank - 1, 0)], tile[rank ^ 1], ballot - 2**32 if ballot >= 2**31 else ballot, sum(tile),
                  max(tile) * 1000 + min(tile), sum(tile[: rank + 1])]
        assert got == wanted, i


@pytest.mark.feature("Cooperative groups", "`coalesced_threads`")
def test_coalesced_lanes_share_an_atomic(target, device):
    op = cudabook.load(GROUPS, target)
    values = torch.randint(-50, 50, (1000,), dtype=torch.int32)
    out, counter = (torch.zeros(n, dtype=torch.int32, device=device) for n in (1000, 1))
    op.filter(values.to(device), out, counter, 1000)
    kept = values[values > 0].sort().values
    assert counter.item() == len(kept)
    assert torch.equal(out[: len(kept)].cpu().sort().values, kept)


def test_one_atomic_for_each_group(tmp_path):
    op = cudabook.load(GROUPS, "emulator")
    values = torch.ones(1024, dtype=torch.int32)
    out, counter = (torch.zeros(n, dtype=torch.int32) for n in (1024, 1))
    with cudabook.profile() as p:
        op.filter(values, out, counter, 1024)
    [atomic] = [a for a in p.launches[0].accesses if a.kind == "atomic"]
    assert (atomic.requests, atomic.lanes) == (32, 32)


@pytest.mark.feature("Cooperative groups", "shuffles of values of 16 bytes")
def test_shuffles_of_values_of_16_bytes(target, device):
    op = cudabook.load(GROUPS, target)
    x = torch.randn(64, 4)
    out = torch.zeros(64, 4, 4, device=device)
    op.wide(x.to(device), out, 64)
    rank, first = torch.arange(64) % 16, torch.arange(64) // 16 * 16
    for i, source in enumerate([torch.full((64,), 3), (rank + 1).clamp(max=15), torch.where(rank < 2, rank, rank - 2),
                                rank ^ 5]):
        assert torch.equal(out[:, i].cpu(), x[first + source]), i


@pytest.mark.feature(
    "Cooperative groups",
    "`this_thread_block`, `sync`, `thread_rank`, `group_index`, `meta_group_rank`",
)
def test_block_sum(target, device):
    op = cudabook.load(GROUPS, target)
    values = torch.randint(0, 100, (5, 192), dtype=torch.int32)
    out = torch.zeros(5, dtype=torch.int32, device=device)
    op.sum(values.to(device), out, 5)
    assert out.tolist() == values.sum(1).tolist()


def test_a_failed_assert_ends_the_launch_and_not_the_process(tmp_path):
    path = tmp_path / "asserts.cu"
    path.write_text("""#include <cassert>
#include <cuda_runtime.h>
__global__ void kernel(int limit) {
    assert(threadIdx.x < limit);
}
extern "C" void run(int limit) { kernel<<<2, 64>>>(limit); }
""")
    op = cudabook.load(path, "emulator")
    op.run(64)
    with pytest.raises(cudabook.CudaError) as caught:
        op.run(40)
    assert caught.value.name == "cudaErrorAssert"
    for word in ("asserts.cu:4", "threadIdx.x < limit", "thread (40, 0, 0) of block (0, 0, 0)"):
        assert word in caught.value.report
    op.run(64)
