"""Lab 01, second exercise: the same sum, by a grid whose size is given."""

from functools import partial

from cudabook.checking import elementwise, kernels
from cudabook.checking.answer import Answer
from cudabook.checking.child import needs_gpu
from cudabook.checking.tasks import ADD

DECLARATION = "const float* a, const float* b, float* out, int64_t n, int blocks, cudaStream_t stream"
ANSWER = partial(Answer, declarations={"vector_add_grid_stride": DECLARATION}, task=ADD)
CASES = [(n, blocks) for n, blocks in zip(elementwise.SIZES, (3, 1, 7, 1, 2, 3, 3, 1, 5, 7, 32), strict=True)]


def test_builds(answer):
    """it compiles, with the launcher's parameters"""
    assert answer.functions


def test_launch(answer):
    """a kernel is launched and runs through"""
    kernels.check_launch(answer, *CASES[0])


def test_grid(answer):
    """the grid has the number of blocks that is given"""
    elementwise.check_grid(answer, CASES)


def test_written(answer):
    """every element of out is written"""
    elementwise.check_written(answer, CASES)


def test_values(answer):
    """out is a + b, bit by bit"""
    elementwise.check_values(answer, CASES)


def test_special(answer):
    """infinities, NaN, signed zeros and denormals"""
    elementwise.check_special(answer, 2)


def test_neighbours(answer):
    """nothing outside of out is written"""
    kernels.check_neighbours(answer, CASES)


def test_inputs_unchanged(answer):
    """a and b stay as they are"""
    kernels.check_inputs_unchanged(answer, CASES)


def test_reads(answer):
    """nothing outside of a and b is read"""
    elementwise.check_reads(answer, 2)


def test_once(answer):
    """each element is computed once"""
    elementwise.check_once(answer, [(1000, 3), (5000, 2)])


def test_repeats(answer):
    """the same inputs give the same result again"""
    kernels.check_repeats(answer, CASES)


def test_empty(answer):
    """n = 0 leaves no error behind"""
    kernels.check_empty(answer, (0, 2))


def test_parallel(answer):
    """the blocks have at least a warp of threads"""
    kernels.check_parallel(answer, 1 << 20, 32)


def test_sanitizers(answer):
    """the sanitizers find nothing"""
    kernels.check_sanitizers(answer, [(1000, 2), (33, 2)])


@needs_gpu
def test_current_stream(answer):
    """the launch is on the stream that is given"""
    kernels.check_current_stream(answer, 1 << 20, 32)
