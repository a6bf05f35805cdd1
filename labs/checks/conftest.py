"""The fixtures of the checks. `pytest labs/checks/test_vector_add.py` works too, but without limits."""

from cudabook.checking.child import answer

__all__ = ["answer"]
