"""Lab 03: fake, gradient and schema of the operators of silu(a) * b."""

from cudabook.checking import registered as check

ANSWER = check.LibraryAnswer


def test_registers(answer):
    """it registers with the library, whose kernels stay"""
    check.check_registers(answer)


def test_fakes(answer):
    """the fakes tell shape, dtype, device and strides"""
    check.check_fakes(answer)


def test_gradient(answer):
    """silu_mul has a gradient, the right one, by silu_mul_backward"""
    check.check_gradient(answer)


def test_mutation(answer):
    """silu_mul_out has a schema that says what it writes"""
    check.check_mutation(answer)


def test_opcheck(answer):
    """opcheck passes for all three"""
    check.check_opcheck(answer)


def test_compile(answer):
    """torch.compile makes one graph for all sizes"""
    check.check_compile(answer)
