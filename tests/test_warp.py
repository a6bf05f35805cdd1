"""Warp-level functions, on both targets from one source."""

from pathlib import Path

import pytest
import torch

import cudabook

WARP = Path(__file__).parent / "cu" / "warp.cu"


def shuffled(values, which, operand, width):
    """The CUDA C++ Programming Guide's description of the four shuffles, for whole warps."""
    lanes = torch.arange(len(values))
    within, first = lanes % width, lanes - lanes % width
    if which == "idx":
        source = first + operand % width
    elif which == "up":
        source = torch.where(within >= operand, lanes - operand, lanes)
    elif which == "down":
        source = torch.where(within + operand < width, lanes + operand, lanes)
    else:
        partner = lanes ^ operand
        source = torch.where(partner % 32 <= (lanes % 32 - within % 32 + width - 1), partner, lanes)
    return values[source]


@pytest.mark.feature("Warps", "`__shfl_sync`, `__shfl_up_sync`, `__shfl_down_sync`, `__shfl_xor_sync`, of every width")
@pytest.mark.parametrize("which", ["idx", "up", "down", "xor"])
@pytest.mark.parametrize("dtype", [torch.int32, torch.float64])
def test_shuffles(target, device, which, dtype):
    op = cudabook.load(WARP, target)
    run = op.shuffle_int if dtype == torch.int32 else op.shuffle_double
    values = torch.arange(3 * 96).mul(7).sub(100).to(dtype)
    for width in (32, 16, 8, 4, 2, 1):
        for operand in (0, 1, 2, 5, 16, 31):
            out = torch.zeros_like(values, device=device)
            run(values.to(device), out, ["idx", "up", "down", "xor"].index(which), operand, width, 32, 3, 96)
            assert torch.equal(out.cpu(), shuffled(values, which, operand, width)), (width, operand)


@pytest.mark.feature("Warps", "shuffles among a part of the warp's lanes")
def test_shuffle_among_the_first_lanes_only(target, device):
    op = cudabook.load(WARP, target)
    values = torch.arange(64, dtype=torch.int32, device=device)
    out = torch.full_like(values, -1)
    op.shuffle_int(values, out, 0, 3, 32, 5, 1, 64)
    assert out.tolist() == [3] * 5 + [-1] * 27 + [35] * 5 + [-1] * 27


def signed(bits: int) -> int:
    return bits - 2**32 if bits >= 2**31 else bits


@pytest.mark.feature(
    "Warps",
    "`__ballot_sync`, `__any_sync`, `__all_sync`, `__match_any_sync`, `__match_all_sync`, `__reduce_add_sync`, "
    "`__reduce_min_sync`, `__reduce_max_sync`, `__reduce_xor_sync`; `__syncthreads_count`, `__syncthreads_and`, "
    "`__syncthreads_or`",
)
@pytest.mark.parametrize("threads", [1, 31, 32, 33, 48, 129, 180, 1024])
@pytest.mark.parametrize("kind", ["mixed", "equal"])
def test_votes_match_and_reduce(target, device, threads, kind):
    op = cudabook.load(WARP, target)
    values = torch.randint(-3, 6, (threads,), dtype=torch.int32) if kind == "mixed" else torch.full((threads,), 5).int()
    out = torch.full((threads, 12), -99, dtype=torch.int32, device=device)
    op.votes(values.to(device), out, threads)
    count = int((values > 0).sum())
    for i, got in enumerate(out.tolist()):
        warp = values[i - i % 32 : i - i % 32 + 32].tolist()
        ballot = sum((v > 0) << lane for lane, v in enumerate(warp))
        match = sum((v == values[i].item()) << lane for lane, v in enumerate(warp))
        equal = len(set(warp)) == 1
        xor = 0
        for v in warp:
            xor ^= v & 0xFFFFFFFF
        wanted = [signed(ballot), int(ballot != 0), int(all(v > 0 for v in warp)), signed(match),
                  signed((1 << len(warp)) - 1) if equal else 0, int(equal), sum(warp), min(warp),
                  signed(max(v & 0xFFFFFFFF for v in warp)), signed(xor), count, 2 * int((values == 5).any()) + 1]
        assert got == wanted, i


@pytest.mark.feature("Warps", "lanes of one warp in two branches, each with its own mask")
def test_two_groups_of_lanes_meet_apart(target, device):
    op = cudabook.load(WARP, target)
    out = torch.zeros(64, dtype=torch.int32, device=device)
    op.divergent(out, 64)
    v = [(lane + 6) % 32 if lane % 2 == 0 else (lane + 30) % 32 + 1600 for lane in range(32)]
    assert out.tolist() == [v[lane] + 1000 * v[lane ^ 1] for lane in range(32)] * 2


@pytest.mark.feature("Warps", "`__syncwarp`")
def test_syncwarp_hands_shared_memory_on(target, device):
    op = cudabook.load(WARP, target)
    out = torch.zeros(256, dtype=torch.int32, device=device)
    op.syncwarp(out, 256)
    i = torch.arange(256)
    assert torch.equal(out.cpu(), (i - i % 32 + (i % 32 + 1) % 32 + 4).int())


@pytest.mark.feature("Warps", "a block's sum by shuffles, for block sizes that no warp divides")
@pytest.mark.parametrize("threads", [1, 32, 129, 159, 180, 192, 1000, 1024])
def test_c03_sum_of_ones_for_each_block_size(target, device, threads):
    op = cudabook.load(WARP, target)
    out = torch.zeros(7, device=device)
    op.block_sum(torch.ones(7, threads, device=device), out, 7, threads)
    assert out.tolist() == [threads] * 7


@pytest.mark.feature("Warps", "`__activemask`")
def test_active_mask(target, device):
    op = cudabook.load(WARP, target)
    out = torch.zeros(32, 2, dtype=torch.int32, device=device)
    op.active(out)
    wanted = torch.zeros(32, 2, dtype=torch.int32)
    wanted[3:, 0] = 1
    wanted[3:10, 1] = 0x3FF
    assert torch.equal(out.cpu(), wanted)


@pytest.mark.parametrize("body, words", [
    ("if (threadIdx.x < 16) __syncwarp(0xffff0000u);", "which does not name it"),
    ("if (threadIdx.x < 8) __syncwarp(0x1ffu); else __syncwarp();", "8 wait at .*24 wait at|32 wait at"),
    ("if (threadIdx.x != 3) __syncwarp(); else __syncthreads();", "barrier that not all threads"),
])
def test_bad_masks_are_reported(tmp_path, body, words):
    path = tmp_path / "bad.cu"
    path.write_text("#include <cuda_runtime.h>\n__global__ void bad_kernel() { " + body + " }\n"
                    'extern "C" void bad() { bad_kernel<<<1, 32>>>(); }')
    with pytest.raises(cudabook.CudaError, match=words) as caught:
        cudabook.load(path, "emulator").bad()
    assert "bad.cu:2" in caught.value.report
