"""The exceptions that cudabook raises."""


class BuildError(RuntimeError):
    """A CUDA source could not be translated or compiled. The message starts with the compiler's first error."""


class CudaError(RuntimeError):
    """A CUDA call or launch failed.

    Attributes:
        name: CUDA's name of the error, such as ``cudaErrorInvalidConfiguration``.
        report: the emulator's sentence on what went wrong and where; empty on a GPU.
    """

    def __init__(self, name: str, text: str, report: str = ""):
        super().__init__(f"CUDA error: {text} ({name})" + (f"\n{report}" if report else ""))
        self.name = name
        self.report = report


class TargetError(RuntimeError):
    """The target that was asked for cannot be used on this machine. The message says what is missing."""
