"""bench.measure: what it checks and refuses. The clock is made up, since no GPU is here."""

import pytest
import torch

from cudabook import TargetError, bench


@pytest.fixture
def fake_gpu(monkeypatch):
    """Calls run, and take as many milliseconds as `times` says; 1 TB/s, 1 TFLOPS."""
    times = {}

    def compare(calls, repeats):
        for call in calls.values():
            call()
        return {name: bench.Timing.of([times.get(name, 2.0)]) for name in calls}

    monkeypatch.setattr(bench, "compare", compare)
    monkeypatch.setattr(bench, "_copy", lambda nbytes: lambda: None)
    monkeypatch.setattr(bench, "_sm_clock_mhz", lambda: 1234)
    monkeypatch.setattr(bench, "_peak_bytes_per_s", lambda: 1e12)
    monkeypatch.setattr(bench, "_peak_flop_per_s", lambda dtype: 1e12)
    return times


def nothing(name, result):
    """A check that all results pass."""


def test_rows_beside_library_and_copy(fake_gpu):
    fake_gpu.update({"ours": 4.0, "library": 2.0, "copy": 1.0})
    ours, library, copy = bench.measure({"ours": lambda: 1, "library": lambda: 1}, nothing, "library", nbytes=1e9)
    assert (ours["version"], ours["ms"], ours["of_library"], ours["of_copy"]) == ("ours", 4.0, 0.5, 0.25)
    assert ours["gb_per_s"] == 250 and ours["clock_mhz"] == 1234
    assert (library["of_library"], copy["version"], copy["of_copy"]) == (1, "copy", 1)


def test_rows_of_arithmetic(fake_gpu):
    [row] = bench.measure({"library": lambda: 1}, nothing, "library", nbytes=1, flops=1e9)
    assert row["tflop_per_s"] == 0.5 and "gb_per_s" not in row


@pytest.mark.parametrize("work", [{"nbytes": 3e9}, {"flops": 3e9}])
def test_faster_than_the_gpu_can_be_is_refused(fake_gpu, work):
    with pytest.raises(ValueError, match=r"ours took 2.0000 ms, but this GPU needs 3.0000 ms"):
        bench.measure({"ours": lambda: 1}, nothing, "ours", **work)


@pytest.mark.parametrize("wrong_at", [1, 2, 3])
def test_results_are_checked_before_and_after_the_timing(fake_gpu, wrong_at):
    """The first call is before, the second is the timed one, the third is after."""
    calls = iter(range(1, 4))

    def check(name, result):
        assert result != wrong_at, "wrong"

    def measure():
        return bench.measure({"ours": lambda: next(calls)}, check, "ours", nbytes=1)

    if wrong_at == 2:
        measure()
    else:
        with pytest.raises(AssertionError, match="wrong"):
            measure()


@pytest.mark.skipif(torch.cuda.device_count() > 0, reason="there is a GPU")
def test_no_speed_without_a_gpu():
    with pytest.raises(TargetError, match="There is no GPU to time"):
        bench.compare({"ours": lambda: 1})
    with pytest.raises(TargetError, match="There is no GPU to time"):
        bench.measure({"ours": lambda: 1}, nothing, "ours", nbytes=10)


def test_a_timing_is_the_median_with_its_spread():
    timing = bench.Timing.of([float(n) for n in range(20, 0, -1)])
    assert (timing.ms, timing.ms_low, timing.ms_high) == (10.5, 3.0, 18.0)
