"""olcf/cuda-training-series: the solutions of the exercises of NVIDIA's and Oak Ridge's course."""

import torch
from cases import Case, Repository, empty, integers, random

N = 160


def product():
    a, b = random(N, N), random(N, N, seed=1)
    return (a, b, empty(N, N), N), {2: a.double() @ b.double()}


def stencil():
    x = integers(100, 512 + 6)
    inner = x.double().unfold(0, 7, 1).sum(1)
    nothing = torch.full((3,), torch.nan, dtype=torch.float64)
    return (x, empty(518, dtype=torch.int32), 512), {1: torch.cat([nothing, inner, nothing])}


def sums(dim: int):
    def make():
        x = random(N, N)
        return (x, empty(N), N), {1: x.double().sum(dim)}

    return make


def largest():
    x = random(3000).abs()
    return (x, empty(4), empty(1), 3000), {2: x.double().max()[None]}


def case(kernel: str, file: str, function: str, make) -> Case:
    return Case(kernel, f"exercises/{file}_solution.cu", "olcf", function, make)


REPOSITORY = Repository("olcf/cuda-training-series", "9cd77d539d85ee3457e09a083ba299b787b7a16e", [
    case("mmul", "hw2/matrix_mul_shared", "product", product),
    case("stencil_1d", "hw2/stencil_1d", "sum_of_neighbours", stencil),
    case("row_sums", "hw4/matrix_sums", "row_sums", sums(1)),
    case("column_sums", "hw4/matrix_sums", "column_sums", sums(0)),
    case("row_sums (a block a row)", "hw5/matrix_sums", "row_sums_by_block", sums(1)),
    case("reduce", "hw5/max_reduction", "largest", largest),
])
