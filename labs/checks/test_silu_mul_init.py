"""Lab 04, second exercise: the __init__.py of a package."""

from cudabook.checking import package as check

ANSWER = check.InitAnswer


def test_stamp(answer):
    """with another torch it is refused, before the library is loaded"""
    check.check_stamp(answer)


def test_imports(answer):
    """it is imported, with a function silu_mul"""
    check.check_imports(answer)


def test_portable(answer):
    """nothing in it holds on this machine only"""
    check.check_portable(answer)


def test_works(answer):
    """silu_mul is the library's operator, with gradient and fake"""
    check.check_works(answer)
