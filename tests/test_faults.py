"""What goes wrong in a kernel on the emulator ends as a report with its line; the next launch is well."""

from pathlib import Path

import pytest
import torch

import cudabook

SOURCE = Path(__file__).parent / "cu" / "faults.cu"


@pytest.fixture
def op():
    op = cudabook.load(SOURCE, target="emulator")
    yield op
    out = torch.zeros(64)
    op.run_early_return(out, 64)  # whatever happened, a good launch works afterwards
    assert (out == 1).all()


def line_of(mark: str) -> str:
    """The place that a report shall name: the line with the comment ``here: mark``."""
    numbers = [n for n, line in enumerate(SOURCE.read_text().splitlines(), 1) if line.endswith(f"// here: {mark}")]
    assert len(numbers) == 1
    return f"faults.cu:{numbers[0]}"


def report_of(call, *args) -> str:
    with pytest.raises(cudabook.CudaError) as caught:
        call(*args)
    assert caught.value.report in str(caught.value)
    return caught.value.report


def finding(op, function: str, *args) -> str:
    with cudabook.sanitize() as found:
        getattr(op, function)(*args)
    assert [r.tool for r in found] == ["synccheck"], str(found)
    return str(found)


def test_threads_that_returned_do_not_hold_up_a_barrier(op):
    out = torch.zeros(64)
    op.run_early_return(out, 40)
    assert out.tolist() == [1] * 40 + [0] * 24
    op.run_barrier_in_branch(out)
    assert (out == 1).all()
    out = torch.zeros(128)
    op.run_loop(out)  # the first warps leave while the last still goes round
    assert (out == 1).all()


@pytest.mark.parametrize("n", [1, 33, 63, 64])
def test_barrier_counts_only_the_threads_that_are_left(op, n):
    out = torch.zeros(64)
    op.run_count_of_those_left(out, n, 0)
    assert out.tolist() == [n // 2] * n + [-1] * (64 - n)
    out = torch.zeros(64)
    op.run_count_of_those_left(out, n, 1)
    assert out.tolist() == [0] * (64 - n) + [(n + 1) // 2] * n


@pytest.mark.feature("Faults that end as a report", "a barrier after some threads have returned, by synccheck")
def test_sanitizer_reports_a_barrier_that_returned_threads_never_reach(op):
    report = finding(op, "run_early_return", torch.zeros(64), 40)
    assert "unreachable barrier" in report
    assert "40 wait at" in report and line_of("return") in report
    assert "24 of 64 threads have returned" in " ".join(report.split()) and line_of("kernel") in report


@pytest.mark.feature("Faults that end as a report", "a barrier in a branch, by synccheck")
def test_sanitizer_reports_a_barrier_in_a_branch(op):
    report = " ".join(finding(op, "run_barrier_in_branch", torch.zeros(64)).split())
    assert "32 wait at" in report and line_of("branch") in report and "32 of 64 threads have returned" in report


@pytest.mark.feature("Faults that end as a report", "a barrier in a loop of unequal length, by synccheck")
def test_sanitizer_reports_a_barrier_in_a_loop_of_unequal_length(op):
    report = finding(op, "run_loop", torch.zeros(128))
    assert "unreachable barrier" in report and line_of("loop") in report


@pytest.mark.feature("Faults that end as a report", "threads of a block that wait for each other at different barriers")
def test_threads_that_wait_for_each_other_at_different_barriers(op):
    report = report_of(op.run_barrier_against_warp, torch.zeros(64))
    assert "unreachable barrier" in report
    assert "2 wait at" in report and line_of("block") in report
    assert "62 wait at" in report and line_of("warp") in report


@pytest.mark.feature("Faults that end as a report", "threads that wait at two `__syncthreads`, by synccheck")
def test_two_different_barriers_are_one_to_a_gpu_and_a_finding(op):
    out = torch.zeros(64)
    op.run_two_barriers(out)
    assert (out == 1).all()
    report = " ".join(finding(op, "run_two_barriers", torch.zeros(64)).split())
    assert "divergent barrier" in report
    assert "8 wait at" in report and line_of("first of two") in report
    assert "56 wait at" in report and line_of("second of two") in report


@pytest.mark.feature("Faults that end as a report", "an address that nothing has")
def test_address_that_nothing_has(op):
    report = report_of(op.run_wild_write, torch.zeros(64), 2**44)
    assert "illegal address" in report and line_of("wild") in report
    assert "thread (5, 0, 0) of block (2, 0, 0)" in report


@pytest.mark.feature("Faults that end as a report", "a misaligned vector access")
def test_misaligned_vector_access(op):
    with pytest.raises(cudabook.CudaError) as caught:
        op.run_misaligned(torch.zeros(64))
    assert caught.value.name == "cudaErrorMisalignedAddress"
    assert line_of("misaligned") in caught.value.report


@pytest.mark.feature("Faults that end as a report", "an integer division by zero")
def test_integer_division_by_zero(op):
    assert line_of("divides") in report_of(op.run_divides, torch.zeros(32, dtype=torch.int32), 0)


@pytest.mark.feature("Faults that end as a report", "recursion beyond the stack")
def test_full_stack(op):
    report = report_of(op.run_deep_stack, torch.zeros(1), 10_000)
    assert "stack" in report and "256 KiB" in report
    out = torch.zeros(1)
    op.run_deep_stack(out, 20)  # a moderate depth is fine


def test_faults_on_all_cores_leave_the_emulator_usable(op):
    for _ in range(50):
        report_of(op.run_wild_write, torch.zeros(64), 2**44)
        report_of(op.run_barrier_against_warp, torch.zeros(64))
