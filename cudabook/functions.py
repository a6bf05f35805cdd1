"""Calling the ``extern "C"`` functions of a ``.cu`` file with tensors."""

import ctypes
import re
from dataclasses import dataclass
from pathlib import Path

import torch

from . import watch
from .emulator.text import mask
from .errors import BuildError, CudaError

_DTYPES = {
    "float": torch.float32,
    "double": torch.float64,
    "__half": torch.float16,
    "half": torch.float16,
    "__nv_bfloat16": torch.bfloat16,
    "nv_bfloat16": torch.bfloat16,
    "int": torch.int32,
    "int32_t": torch.int32,
    "unsigned char": torch.uint8,
    "uint8_t": torch.uint8,
    "int8_t": torch.int8,
    "bool": torch.bool,
    "int64_t": torch.int64,
    "long long": torch.int64,
    "void": None,
}
_SCALARS = {
    "int": ctypes.c_int,
    "int32_t": ctypes.c_int32,
    "unsigned": ctypes.c_uint,
    "unsigned int": ctypes.c_uint,
    "int64_t": ctypes.c_int64,
    "long long": ctypes.c_longlong,
    "size_t": ctypes.c_size_t,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "bool": ctypes.c_bool,
}


@dataclass(frozen=True)
class Parameter:
    """One parameter of a C function: ``kind`` is 'tensor', 'scalar' or 'stream', ``type`` the C++ type."""

    name: str
    kind: str
    type: str


def signatures(source: str) -> dict[str, list[Parameter]]:
    """The ``extern "C"`` functions that a CUDA source defines, with their parameters.

    Raises:
        BuildError: there is none, or one has a parameter that cannot be passed from Python.
    """
    code = mask(source, keep_strings=True)
    found = {}
    for match in re.finditer(r'extern\s*"C"\s*[\w:\s*]+?\b(\w+)\s*\(([^)]*)\)\s*\{', code):
        name, parameters = match.groups()
        found[name] = [_parameter(p, name) for p in parameters.split(",") if p.strip() not in ("", "void")]
    if not found:
        raise BuildError(
            'The source defines no function that Python can call: write the launcher as extern "C", for example\n'
            '    extern "C" void add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream)'
        )
    return found


def _parameter(text: str, function: str) -> Parameter:
    words = re.sub(r"\b(?:const|__restrict__|volatile)\b", " ", text).replace("*", " * ").split()
    name = words.pop()
    pointer = "*" in words
    kind = " ".join(w for w in words if w != "*").removeprefix("std::")
    if pointer and kind in _DTYPES and words.count("*") == 1:
        return Parameter(name, "tensor", kind)
    if kind == "cudaStream_t":
        return Parameter(name, "stream", kind)
    if not pointer and kind in _SCALARS:
        return Parameter(name, "scalar", kind)
    raise BuildError(
        f"{function}: the parameter '{text.strip()}' cannot be passed from Python. Expected a pointer to one of "
        f"{', '.join(_DTYPES)}; one of {', '.join(_SCALARS)}; or cudaStream_t."
    )


class Functions:
    """The functions of one built ``.cu`` file, as attributes.

    A pointer parameter takes a contiguous tensor of the matching dtype on :attr:`device`, or None for a null pointer; a
    number parameter a number; ``cudaStream_t`` is not passed: it is PyTorch's current stream. Every call raises
    :class:`CudaError` if the launch was refused or, on the emulator, if the kernel went wrong.
    """

    def __init__(self, source: Path, library: Path, target: str, device: str, watched):
        self.source, self.library, self.target, self.device = source, library, target, device
        self._watched = watched  # gives the same functions, built to report their loads and stores
        self._dll = ctypes.CDLL(str(library))
        self._signatures = signatures(source.read_text())

    def __repr__(self) -> str:
        return f"<{self.source.name} on {self.target}: {', '.join(self._signatures)}>"

    def __dir__(self):
        return [*super().__dir__(), *self._signatures]

    def __getattr__(self, name: str):
        if name.startswith("_") or name not in self._signatures:
            raise AttributeError(f"{self.source.name} defines no extern \"C\" function '{name}'. It defines: "
                                 f"{', '.join(self.__dict__.get('_signatures', {}))}.")
        if watch.watching() and (twin := self._watched()) is not self:
            watch.refuse_gpu(self.source.name, self.target)
            return getattr(twin, name)
        parameters = self._signatures[name]
        function = getattr(self._dll, name)

        def call(*args):
            wanted = [p for p in parameters if p.kind != "stream"]
            if len(args) != len(wanted):
                raise TypeError(f"{name} takes {len(wanted)} arguments ({', '.join(p.name for p in wanted)}), "
                                f"{len(args)} were given.")
            watch.name_tensors({p.name: v for p, v in zip(wanted, args, strict=True) if isinstance(v, torch.Tensor)})
            values = iter(args)
            device = next((a.device for a in args if isinstance(a, torch.Tensor)), torch.device(self.device))
            with torch.cuda.device(device if device.type == "cuda" else -1):
                function(*[self._convert(name, p, None if p.kind == "stream" else next(values)) for p in parameters])
                self._check()

        call.__name__ = name
        call.__doc__ = f"{name}({', '.join(p.name for p in parameters if p.kind != 'stream')})"
        return call

    def _convert(self, function: str, parameter: Parameter, value):
        where = f"{function}: {parameter.name}"
        if parameter.kind == "stream":
            return ctypes.c_void_p(torch.cuda.current_stream().cuda_stream if self.target == "cuda" else 0)
        if parameter.kind == "scalar":
            if isinstance(value, torch.Tensor):
                raise TypeError(f"{where} is a tensor, expected a number ({parameter.type}).")
            return _SCALARS[parameter.type](value)
        if value is None:
            return ctypes.c_void_p(0)
        if not isinstance(value, torch.Tensor):
            raise TypeError(f"{where} is a {type(value).__name__}, expected a tensor.")
        dtype = _DTYPES[parameter.type]
        if dtype is not None and value.dtype != dtype:
            raise TypeError(f"{where} has dtype {value.dtype}, expected {dtype} ({parameter.type}*).")
        if value.device.type != self.device:
            raise ValueError(f"{where} is on {value.device}, expected a tensor on {self.device}: {self.source.name} "
                             f"was built for the target '{self.target}'.")
        if not value.is_contiguous():
            raise ValueError(f"{where} has strides {value.stride()}, expected a contiguous tensor.")
        return ctypes.c_void_p(value.data_ptr())

    def _check(self) -> None:
        name, text = ctypes.c_char_p(), ctypes.c_char_p()
        if self._dll.cudabook_last_error(ctypes.byref(name), ctypes.byref(text)) != 0:
            report = ""
            if self.target == "emulator":
                self._dll.cudabook_take_report.restype = ctypes.c_char_p
                report = self._dll.cudabook_take_report().decode()
            raise CudaError(name.value.decode(), text.value.decode(), report)
