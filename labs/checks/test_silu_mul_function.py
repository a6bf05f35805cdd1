"""Lab 02, second exercise: the torch.autograd.Function of silu(a) * b."""

from cudabook.checking import gradients as check

ANSWER = check.FunctionAnswer


def test_imports(answer):
    """it is Python, with a class SiluMul"""
    assert answer.get("SiluMul")


def test_kernel(answer):
    """the kernel of the first exercise is right"""
    assert answer.kernels


def test_forward(answer):
    """the forward gives silu(a) * b"""
    check.check_forward(answer)


def test_gradients(answer):
    """the gradients of a and b are right, for any shape, in float and in double"""
    check.check_gradients(answer)


def test_strides(answer):
    """they are right whatever strides the incoming gradient has"""
    check.check_strides(answer)


def test_needs(answer):
    """what nobody needs is not computed"""
    check.check_needs(answer)


def test_kernel_used(answer):
    """they are what the kernel computes, in one launch"""
    check.check_kernel_used(answer)


def test_saved(answer):
    """a change of a or b before the backward is noticed"""
    check.check_saved(answer)


def test_gradcheck(answer):
    """gradcheck agrees, in float64"""
    check.check_gradcheck(answer)


def test_repeats(answer):
    """the same inputs give the same result again"""
    check.check_repeats(answer)
