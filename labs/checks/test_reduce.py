"""Lab 06: out[0] is the sum of a."""

from functools import partial

from cudabook.checking import arrays, cost, kernels
from cudabook.checking.answer import Answer
from cudabook.checking.array_tasks import REDUCE
from cudabook.checking.child import needs_gpu

DECLARATION = "const float* a, float* out, int64_t n, cudaStream_t stream"
ANSWER = partial(Answer, declarations={"reduce": DECLARATION}, task=REDUCE)
CASES = [(n,) for n in (1000, 0, 1, 31, 32, 33, 255, 257, 1023, 100_003)]


def test_builds(answer):
    """it compiles, with the launcher's parameters"""
    assert answer.functions


def test_launch(answer):
    """a kernel is launched and runs through"""
    kernels.check_launch(answer, 1024)


def test_whole_blocks(answer):
    """the sum of 1024 and of 8192 elements is right"""
    arrays.check_values(answer, [(1024,), (8192,)])


def test_sanitizers(answer):
    """the sanitizers find nothing"""
    kernels.check_sanitizers(answer, [(1000,), (33,), (1,), (5000,)])


def test_values(answer):
    """the sum of any number of elements is right"""
    arrays.check_values(answer, CASES)


def test_large(answer):
    """the sum of a million elements is right"""
    arrays.check_values(answer, [(1 << 20,)], seeds=[0])


def test_special(answer):
    """infinities, NaN and large values come through"""
    arrays.check_special(answer)


def test_neighbours(answer):
    """nothing beside out is written"""
    kernels.check_neighbours(answer, CASES)


def test_inputs_unchanged(answer):
    """a stays as it is"""
    kernels.check_inputs_unchanged(answer, CASES)


def test_repeats(answer):
    """the same whole numbers give the same sum again"""
    kernels.check_repeats(answer, [(1000,), (100_003,)])


def test_parallel(answer):
    """the work is spread over blocks and threads"""
    cost.check_parallel(answer, 1 << 16)


def test_coalesced(answer):
    """a warp reads neighbours"""
    cost.check_coalesced(answer, 1 << 16)


def test_loaded_once(answer):
    """each element is loaded once"""
    cost.check_loaded_once(answer, 1 << 16)


def test_atomics(answer):
    """a block makes one atomic addition"""
    cost.check_atomics(answer, 1 << 16)


def test_shuffles(answer):
    """within a warp, sums go by shuffles"""
    cost.check_shuffles(answer, 1 << 16, most=2)


@needs_gpu
def test_current_stream(answer):
    """all work is on the stream that is given"""
    kernels.check_current_stream(answer, 1 << 20)
