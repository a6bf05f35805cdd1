"""Lab 01, first exercise: out[i] = a[i] + b[i], one thread an element."""

from functools import partial

from cudabook.checking import elementwise, kernels
from cudabook.checking.answer import Answer
from cudabook.checking.child import needs_gpu
from cudabook.checking.tasks import ADD

DECLARATION = "const float* a, const float* b, float* out, int64_t n, cudaStream_t stream"
ANSWER = partial(Answer, declarations={"vector_add": DECLARATION}, task=ADD)
CASES = [(n,) for n in elementwise.SIZES]


def test_builds(answer):
    """it compiles, with the launcher's parameters"""
    assert answer.functions


def test_launch(answer):
    """a kernel is launched and runs through"""
    kernels.check_launch(answer, 1000)


def test_written(answer):
    """every element of out is written"""
    elementwise.check_written(answer, CASES)


def test_values(answer):
    """out is a + b, bit by bit"""
    elementwise.check_values(answer, CASES)


def test_special(answer):
    """infinities, NaN, signed zeros and denormals"""
    elementwise.check_special(answer)


def test_neighbours(answer):
    """nothing outside of out is written"""
    kernels.check_neighbours(answer, CASES)


def test_inputs_unchanged(answer):
    """a and b stay as they are"""
    kernels.check_inputs_unchanged(answer, CASES)


def test_reads(answer):
    """nothing outside of a and b is read"""
    elementwise.check_reads(answer)


def test_once(answer):
    """each element is computed once"""
    elementwise.check_once(answer, [(1000,), (257,)])


def test_repeats(answer):
    """the same inputs give the same result again"""
    kernels.check_repeats(answer, CASES)


def test_empty(answer):
    """n = 0 leaves no error behind"""
    kernels.check_empty(answer, (0,))


def test_parallel(answer):
    """the work is spread over blocks and threads"""
    kernels.check_parallel(answer, 1 << 20)


def test_sanitizers(answer):
    """the sanitizers find nothing"""
    kernels.check_sanitizers(answer, [(1000,), (33,)])


@needs_gpu
def test_current_stream(answer):
    """the launch is on the stream that is given"""
    kernels.check_current_stream(answer, 1 << 20)
