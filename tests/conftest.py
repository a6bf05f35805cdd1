"""Tests that take ``target`` run once on the emulator and once on the GPU, from the same sources."""

import os

import pytest

import cudabook
from cudabook import cuda

_gpu_tests_run = 0


def pytest_addoption(parser):
    parser.addoption("--require-gpu", action="store_true", help="fail if no test ran on a GPU")


def pytest_report_header(config):
    return f"cudabook: target 'cuda' is {'tested' if cuda.problem() is None else 'skipped: ' + cuda.problem()}"


@pytest.fixture(params=["emulator", "cuda"])
def target(request):
    global _gpu_tests_run
    if request.param == "cuda":
        if why := cuda.problem():
            pytest.skip(f"target 'cuda': {why}")
        _gpu_tests_run += 1
    return request.param


@pytest.fixture
def device(target):
    return cudabook.build.DEVICES[target]


def pytest_sessionfinish(session, exitstatus):
    if session.config.getoption("--require-gpu") and _gpu_tests_run == 0:
        print("\n--require-gpu: no test ran on a GPU.")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def assert_close(actual, wanted, rtol=1e-5, atol=1e-6):
    import torch

    torch.testing.assert_close(actual.cpu().double(), wanted.cpu().double(), rtol=rtol, atol=atol)


os.environ.setdefault("CUDABOOK_PROGRESS", "0")
