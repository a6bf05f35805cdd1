"""The stand-ins for libraries that programs include beside CUDA's runtime."""

from itertools import product
from pathlib import Path

import pytest
import torch

import cudabook

SOURCE = Path(__file__).parent / "cu" / "libraries.cu"


@pytest.fixture(scope="module")
def op():
    return cudabook.load(SOURCE, "emulator")


@pytest.mark.feature("Libraries", "`cublasSgemm`")
@pytest.mark.parametrize("ta, tb", list(product((False, True), repeat=2)))
def test_cublas_multiplies_column_major_matrices(op, ta, tb):
    m, n, k = 5, 7, 4
    a, b, c = torch.randn(k, m), torch.randn(n, k), torch.randn(n, m)  # read by columns: m x k, k x n and m x n
    left, right = (a.T.contiguous() if ta else a), (b.T.contiguous() if tb else b)
    status, out = torch.full((1,), -1, dtype=torch.int32), c.clone()
    op.product(left, right, out, m, n, k, ta, tb, 2.0, 0.5, status)
    assert status.item() == 0
    torch.testing.assert_close(out.T, 2 * a.T @ b.T + 0.5 * c.T)


@pytest.mark.feature("Libraries", "`cublasSgemm` with a beta of 0")
def test_cublas_does_not_read_what_beta_0_leaves_out(op):
    out, status = torch.full((3, 2), torch.nan), torch.full((1,), -1, dtype=torch.int32)
    op.product(torch.ones(4, 2), torch.ones(3, 4), out, 2, 3, 4, False, False, 1.0, 0.0, status)
    assert (out == 4).all()


@pytest.mark.feature("Libraries", "`cublasDgemmStridedBatched`")
def test_cublas_multiplies_a_batch(op):
    a, b = torch.randn(3, 4, 5, dtype=torch.float64), torch.randn(3, 7, 4, dtype=torch.float64)
    out, status = torch.full((3, 7, 5), torch.nan, dtype=torch.float64), torch.full((1,), -1, dtype=torch.int32)
    op.products(a, b, out, 5, 7, 4, 3, status)
    assert status.item() == 0
    torch.testing.assert_close(out.mT, a.mT @ b.mT)


@pytest.mark.feature("Libraries", "`cublasSgemv`")
@pytest.mark.parametrize("transposed, step", [(False, 1), (True, 1), (False, 2), (True, 3)])
def test_cublas_multiplies_a_matrix_and_a_vector(op, transposed, step):
    m, n = 5, 7
    a, x, y = torch.randn(n, m), torch.randn(n * m, step), torch.randn(n * m, step)  # a is read by columns: m x n
    rows, columns = (n, m) if transposed else (m, n)
    status, out = torch.full((1,), -1, dtype=torch.int32), y.clone()
    op.times_vector(a, x, out, m, n, transposed, step, status)
    assert status.item() == 0
    wanted = y.clone()
    wanted[:rows, 0] = 2 * (a if transposed else a.T) @ x[:columns, 0] + 0.5 * y[:rows, 0]
    torch.testing.assert_close(out, wanted)


@pytest.mark.feature("Libraries", "cuBLAS's statuses")
def test_statuses(op):
    status = torch.full((5,), -1, dtype=torch.int32)
    op.refused(torch.zeros(16), status)
    assert status.tolist() == [7, 0, 0, 0, 0]  # a leading dimension below m is an invalid value
