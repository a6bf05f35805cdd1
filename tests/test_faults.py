"""What goes wrong in a kernel on the emulator ends as a report with its line; the process and the next launch are well."""

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


def report_of(call, *args) -> str:
    with pytest.raises(cudabook.CudaError) as caught:
        call(*args)
    assert caught.value.report in str(caught.value)
    return caught.value.report


def test_barrier_that_returned_threads_never_reach(op):
    report = report_of(op.run_early_return, torch.zeros(64), 40)
    assert "unreachable barrier" in report
    assert "40 wait at" in report and "faults.cu:7" in report
    assert "24 of 64 threads have returned" in report and "faults.cu:4" in report


def test_barrier_in_a_branch(op):
    report = report_of(op.run_barrier_in_branch, torch.zeros(64))
    assert "32 wait at" in report and "faults.cu:12" in report and "32 of 64 threads have returned" in report


def test_two_different_barriers(op):
    report = report_of(op.run_two_barriers, torch.zeros(64))
    assert "divergent barrier" in report
    assert "8 wait at" in report and "faults.cu:19" in report
    assert "56 wait at" in report and "faults.cu:21" in report


def test_barrier_in_a_loop_of_unequal_length(op):
    report = report_of(op.run_loop, torch.zeros(128))
    assert "unreachable barrier" in report and "faults.cu:27" in report


def test_address_that_nothing_has(op):
    report = report_of(op.run_wild_write, torch.zeros(64), 2**44)
    assert "illegal address" in report and "faults.cu:34" in report
    assert "thread (5, 0, 0) of block (2, 0, 0)" in report


def test_misaligned_vector_access(op):
    with pytest.raises(cudabook.CudaError) as caught:
        op.run_misaligned(torch.zeros(64))
    assert caught.value.name == "cudaErrorMisalignedAddress"
    assert "faults.cu:38" in caught.value.report


def test_integer_division_by_zero(op):
    assert "faults.cu:42" in report_of(op.run_divides, torch.zeros(32, dtype=torch.int32), 0)


def test_full_stack(op):
    report = report_of(op.run_deep_stack, torch.zeros(1), 10_000)
    assert "stack" in report and "256 KiB" in report
    out = torch.zeros(1)
    op.run_deep_stack(out, 20)  # a moderate depth is fine


def test_faults_on_all_cores_leave_the_emulator_usable(op):
    for _ in range(50):
        report_of(op.run_wild_write, torch.zeros(64), 2**44)
        report_of(op.run_two_barriers, torch.zeros(64))
