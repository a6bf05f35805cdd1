"""Lab 05: out[j, i] = a[i, j], by tiles in shared memory."""

from functools import partial

from cudabook.checking import arrays, cost, kernels
from cudabook.checking.answer import Answer
from cudabook.checking.array_tasks import TRANSPOSE
from cudabook.checking.child import needs_gpu

DECLARATION = "const float* a, float* out, int64_t rows, int64_t n, cudaStream_t stream"
ANSWER = partial(Answer, declarations={"transpose": DECLARATION}, task=TRANSPOSE)
CASES = [(70, 45), (45, 70), (257, 100), (7, 1000), (31, 33), (1, 70), (70, 1), (1, 1)]


def test_builds(answer):
    """it compiles, with the launcher's parameters"""
    assert answer.functions


def test_launch(answer):
    """a kernel is launched and runs through"""
    kernels.check_launch(answer, 64, 64)


def test_whole_tiles(answer):
    """matrices of whole tiles come out right"""
    arrays.check_values(answer, [(64, 64), (64, 96), (160, 32)])


def test_sanitizers(answer):
    """the sanitizers find nothing"""
    kernels.check_sanitizers(answer, [(64, 96), (70, 45), (1, 3)])


def test_values(answer):
    """matrices with a partial last tile come out right"""
    arrays.check_values(answer, CASES)


def test_special(answer):
    """NaN, infinities and zeros keep their bits"""
    arrays.check_special(answer)


def test_neighbours(answer):
    """nothing outside of out is written"""
    kernels.check_neighbours(answer, CASES)


def test_inputs_unchanged(answer):
    """a stays as it is"""
    kernels.check_inputs_unchanged(answer, CASES)


def test_repeats(answer):
    """the same inputs give the same result again"""
    kernels.check_repeats(answer, [(257, 100), (64, 96)])


def test_empty(answer):
    """matrices without rows or columns leave no error behind"""
    kernels.check_empty(answer, (0, 5), (5, 0), (0, 0))


def test_parallel(answer):
    """the work is spread over blocks and threads"""
    kernels.check_parallel(answer, 257, 100)


def test_coalesced(answer):
    """a warp reads neighbours and writes neighbours"""
    cost.check_coalesced(answer, 128, 96)


def test_conflicts(answer):
    """no bank of shared memory is asked for two words at once"""
    cost.check_conflicts(answer, 128, 96)


def test_tall(answer):
    """a matrix of 2,100,000 rows comes out right"""
    arrays.check_values(answer, [(2_100_000, 1)], seeds=[0])


@needs_gpu
def test_current_stream(answer):
    """the launch is on the stream that is given"""
    kernels.check_current_stream(answer, 1000, 700)
