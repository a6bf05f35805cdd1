"""Atomics on all types and in all scopes, locks and flags: both targets, one source."""

from pathlib import Path

import pytest
import torch

import cudabook

SOURCE = Path(__file__).parent / "cu" / "atomics.cu"


@pytest.fixture
def op(target):
    return cudabook.load(SOURCE, target)


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
@pytest.mark.parametrize("threads", [1, 33, 256])
def test_integers(op, device, dtype, threads):
    start = [100, 50, 50, -1, 0, 5, 0, 0, 3, 2]
    slot = torch.tensor(start, dtype=dtype, device=device)
    seen = torch.zeros(threads, dtype=dtype, device=device)
    (op.integers_int if dtype == torch.int32 else op.integers_long)(slot, seen, threads)
    values = range(1, threads + 1)
    bits = sum(1 << k for k in range(min(threads, 20)))
    xor = 5
    for v in values:
        xor ^= v
    total = sum(values)
    got = slot.tolist()
    assert got[:7] == [100 + total, 1, max(50, threads), ~bits, bits, xor, 7]
    assert got[7] in values and got[8:] == [3 + total, max(2, threads)]
    # What atomicAdd returns is a running sum: sorted, the values before each step.
    before = sorted(seen.tolist())
    assert before[0] == 100 and len(set(before)) == threads and max(before) < 100 + total


@pytest.mark.parametrize("threads", [4, 64, 200])
def test_counters(op, device, threads):
    slot = torch.tensor([1000, 0, 3], dtype=torch.int32, device=device)
    extremes = torch.tensor([0, -5000], device=device)
    words = torch.zeros(2, dtype=torch.int32, device=device)
    op.counters(slot, extremes, words, threads)
    down = 3
    for _ in range(threads):
        down = 9 if down == 0 else down - 1
    assert slot.tolist() == [1000 - 3 * threads, threads % 10, down]
    assert extremes.tolist() == [1 - threads, threads - 1 - 1000]
    assert words.tolist() == [100 | 101 << 16, 102 | 103 << 16]


def test_floats_of_every_width(op, device):
    blocks, threads = 3, 64
    f = torch.zeros(8, device=device)
    d = torch.zeros(1, dtype=torch.float64, device=device)
    h = torch.zeros(4, dtype=torch.float16, device=device)
    b = torch.zeros(4, dtype=torch.bfloat16, device=device)
    op.floats(f, d, h, b, blocks, threads)
    odd, every = blocks * threads // 2, blocks * threads
    assert f.tolist() == [odd, 0, odd, every, odd, every, 2 * every, -odd]
    assert d.item() == odd
    assert h.tolist() == [odd, 0, odd, every] and b.tolist() == [odd, 0, odd, every]


def test_compare_and_swap_loop(op, device):
    x = torch.randn(10_001, device=device) - 2
    out = torch.full((1,), -1e30, device=device)
    op.float_max(x, out, len(x))
    assert out.item() == x.max().item()


@pytest.mark.parametrize("blocks, threads", [(1, 1), (1, 64), (5, 96)])
def test_lock_that_every_lane_takes(op, device, blocks, threads):
    lock, total = (torch.zeros(1, dtype=torch.int32, device=device) for _ in range(2))
    op.locked_count(lock, total, blocks, threads)
    assert total.item() == blocks * threads and lock.item() == 0


@pytest.mark.parametrize("threads", [2, 32, 256])
def test_thread_that_waits_for_a_later_one(op, device, threads):
    flag, out = torch.zeros(1, dtype=torch.int32, device=device), torch.zeros(2, dtype=torch.int32, device=device)
    op.flag(flag, out, threads)
    assert out.tolist() == [42, 41]


@pytest.mark.parametrize("threads", [32, 96])
def test_locks_and_flags_do_not_hang_while_watched(threads):
    op = cudabook.load(SOURCE, "emulator")
    lock, total = (torch.zeros(1, dtype=torch.int32) for _ in range(2))
    flag, out = torch.zeros(1, dtype=torch.int32), torch.zeros(2, dtype=torch.int32)
    with cudabook.profile():
        op.locked_count(lock, total, 2, threads)
        op.flag(flag, out, threads)
    assert total.item() == 2 * threads and out.tolist() == [42, 41]
    lock, total, flag, out = (torch.zeros_like(t) for t in (lock, total, flag, out))
    with cudabook.sanitize() as found:
        op.locked_count(lock, total, 2, threads)
        op.flag(flag, out, threads)
    assert total.item() == 2 * threads and out.tolist() == [42, 41]
    assert not len(found), found
