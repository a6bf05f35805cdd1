"""Lab 07: the softmax of each row of x."""

from functools import partial

from cudabook.checking import arrays, cost, kernels
from cudabook.checking.answer import Answer
from cudabook.checking.array_tasks import SOFTMAX
from cudabook.checking.child import needs_gpu

DECLARATION = "const float* x, float* out, int64_t rows, int64_t n, cudaStream_t stream"
ANSWER = partial(Answer, declarations={"softmax": DECLARATION}, task=SOFTMAX)
CASES = [(2, 1000), (4, 257), (7, 33), (33, 7), (5, 255), (3, 5000), (300, 17), (7, 1), (1, 1)]


def test_builds(answer):
    """it compiles, with the launcher's parameters"""
    assert answer.functions


def test_launch(answer):
    """a kernel is launched and runs through"""
    kernels.check_launch(answer, 8, 256)


def test_whole_rows(answer):
    """rows of 256 and of 1024 elements come out right"""
    arrays.check_values(answer, [(8, 256), (5, 1024)])


def test_sanitizers(answer):
    """the sanitizers find nothing"""
    kernels.check_sanitizers(answer, [(8, 256), (3, 33), (2, 1), (3, 700)])


def test_values(answer):
    """rows of any length come out right"""
    arrays.check_values(answer, CASES)


def test_special(answer):
    """large, very negative and masked rows come out right"""
    arrays.check_special(answer)


def test_neighbours(answer):
    """nothing outside of out is written"""
    kernels.check_neighbours(answer, CASES)


def test_inputs_unchanged(answer):
    """x stays as it is"""
    kernels.check_inputs_unchanged(answer, CASES)


def test_repeats(answer):
    """the same inputs give the same result again"""
    kernels.check_repeats(answer, CASES)


def test_empty(answer):
    """matrices without rows or columns leave no error behind"""
    kernels.check_empty(answer, (0, 5), (5, 0), (0, 0))


def test_parallel(answer):
    """the work is spread over blocks and threads"""
    kernels.check_parallel(answer, 300, 17)


def test_coalesced(answer):
    """a warp reads neighbours and writes neighbours"""
    cost.check_coalesced(answer, 64, 256)


def test_passes(answer):
    """a row is loaded three times at the most"""
    cost.check_loads(answer, 64, 256, most=3, advice="three passes over a row, or fewer.")


@needs_gpu
def test_current_stream(answer):
    """the launch is on the stream that is given"""
    kernels.check_current_stream(answer, 1000, 700)
