"""A fixture for tests of kernels; pytest finds it wherever cudabook is installed."""

import pytest


@pytest.fixture
def cuda_sanitizer():
    """Runs a test's kernels on the emulator under the sanitizers, and fails the test if there are findings.

    The value is the :class:`cudabook.sanitizing.Reports`, which is filled when the test ends. Operators must be loaded
    with ``target="emulator"``.
    """
    import cudabook

    with cudabook.sanitize() as found:
        yield found
    if len(found):
        pytest.fail(str(found), pytrace=False)
