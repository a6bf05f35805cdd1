"""Lab 09: c = a @ b, with a tile in registers."""

from functools import partial

from cudabook.checking import arrays, cost, kernels
from cudabook.checking.answer import Answer
from cudabook.checking.array_tasks import MATMUL
from cudabook.checking.child import needs_gpu

DECLARATION = "const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, cudaStream_t stream"
ANSWER = partial(Answer, declarations={"register_tile": DECLARATION}, task=MATMUL)
CASES = [(130, 70, 45), (33, 65, 200), (31, 33, 65), (1, 70, 45), (70, 1, 45), (70, 45, 1), (1, 1, 1), (5, 7, 0)]


def test_builds(answer):
    """it compiles, with the launcher's parameters"""
    assert answer.functions


def test_launch(answer):
    """a kernel is launched and runs through"""
    kernels.check_launch(answer, 128, 128, 64)


def test_whole_tiles(answer):
    """matrices of whole tiles come out right"""
    arrays.check_values(answer, [(128, 128, 64), (64, 192, 96)])


def test_sanitizers(answer):
    """the sanitizers find nothing"""
    kernels.check_sanitizers(answer, [(64, 64, 64), (70, 45, 33), (3, 1, 2)])


def test_values(answer):
    """matrices with a partial last tile come out right"""
    arrays.check_values(answer, CASES)


def test_special(answer):
    """infinities, NaN and large values stay in their rows and columns"""
    arrays.check_special(answer)


def test_neighbours(answer):
    """nothing outside of c is written"""
    kernels.check_neighbours(answer, CASES)


def test_inputs_unchanged(answer):
    """a and b stay as they are"""
    kernels.check_inputs_unchanged(answer, CASES)


def test_repeats(answer):
    """the same inputs give the same result again"""
    kernels.check_repeats(answer, CASES)


def test_empty(answer):
    """matrices without rows or columns leave no error behind"""
    kernels.check_empty(answer, (0, 5, 3), (5, 0, 3), (0, 0, 0))


def test_parallel(answer):
    """the work is spread over blocks and threads"""
    kernels.check_parallel(answer, 130, 70, 45)


def test_coalesced(answer):
    """a warp reads neighbours"""
    cost.check_coalesced(answer, 128, 128, 64, kinds=("load",))


def test_loads(answer):
    """what a block shares is loaded once"""
    advice = "a tile of 64 x 64 of c takes 64 elements of a and 64 of b for 4096 products."
    cost.check_loads(answer, 128, 128, 64, most=2 * 64 / 64, advice=advice)


def test_conflicts(answer):
    """no bank of shared memory is asked for two words at once by a load"""
    cost.check_conflicts(answer, 128, 128, 64, kinds=("load",))


def test_shared_wavefronts(answer):
    """a value from shared memory serves several products"""
    cost.check_shared_wavefronts(
        answer,
        *(128, 128, 64),
        work=128 * 128 * 64,
        most=0.5,
        what="multiply-adds",
        advice="load it into a register, and let it serve four elements of the same thread.",
    )


@needs_gpu
def test_current_stream(answer):
    """the launch is on the stream that is given"""
    kernels.check_current_stream(answer, 256, 256, 256)
