"""Lab 02, first exercise: the gradients of silu(a) * b."""

from functools import partial

from cudabook.checking import elementwise, kernels
from cudabook.checking.answer import Answer
from cudabook.checking.child import needs_gpu
from cudabook.checking.tasks import BACKWARD_LAUNCHERS, SILU_MUL_BACKWARD

ANSWER = partial(Answer, declarations=BACKWARD_LAUNCHERS, task=SILU_MUL_BACKWARD, launches=1)
CASES = [(n,) for n in (1000, 1, 31, 33, 255, 257, 10_007)]


def test_builds(answer):
    """it compiles, with the launchers' parameters"""
    assert answer.functions


def test_launch(answer):
    """a kernel is launched and runs through"""
    kernels.check_launch(answer, 1000)


def test_sanitizers(answer):
    """the sanitizers find nothing"""
    kernels.check_sanitizers(answer, [(33,), (1,)])


def test_values(answer):
    """da and db are the gradients, in float and in double"""
    elementwise.check_values(answer, CASES)


def test_special(answer):
    """nothing overflows where the gradient does not"""
    elementwise.check_special(answer)


def test_neighbours(answer):
    """nothing outside of da and db is written"""
    kernels.check_neighbours(answer, CASES)


def test_inputs_unchanged(answer):
    """grad, a and b stay as they are"""
    kernels.check_inputs_unchanged(answer, CASES)


def test_optional(answer):
    """what nobody needs is not written"""
    elementwise.check_optional(answer, 1000)


def test_repeats(answer):
    """the same inputs give the same result again"""
    kernels.check_repeats(answer, CASES)


def test_empty(answer):
    """n = 0 leaves no error behind"""
    kernels.check_empty(answer, (0,))


def test_parallel(answer):
    """the work is spread over blocks and threads"""
    kernels.check_parallel(answer, 10_007)


def test_cost(answer):
    """each byte is moved once"""
    elementwise.check_cost(answer, 4096)


@needs_gpu
def test_current_stream(answer):
    """the launch is on the stream that is given"""
    kernels.check_current_stream(answer, 1 << 20)
