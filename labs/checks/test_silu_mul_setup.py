"""Lab 04, first exercise: the setup.py of a package."""

from cudabook.checking import package as check

ANSWER = check.SetupAnswer


def test_extension(answer):
    """it lists the library, with its name and its sources"""
    check.check_extension(answer)


def test_python_side(answer):
    """it ships the Python side"""
    check.check_python_side(answer)


def test_torch(answer):
    """it asks for the torch that it is built with, and leaves a stamp"""
    check.check_torch(answer)


def test_isolation(answer):
    """where torch is missing, it says what to type"""
    check.check_isolation(answer)


def test_installed(answer):
    """pip installs it, and it works elsewhere"""
    check.check_installed(answer)
