"""Counting floating-point operations: how often each basic block of a kernel ran, times the operations in its code.

Kernels that are watched tell the runtime of every basic block that a thread enters. What lies in a block is read from
the library by objdump. An addition, multiplication, division or square root is one operation, a fused multiply-add two,
as Nsight Compute counts FADD, FMUL and FFMA; a call of a mathematical function such as expf is counted apart, since
what it costs on a GPU depends on nvcc's flags. Conversions between number formats count nothing. What tensor cores
compute is not read from the code: the runtime counts it, 2 * m * n * k for each mma of a warp.
"""

import platform
import re
import subprocess
from dataclasses import dataclass
from functools import lru_cache

from . import watch

_OPERATION = re.compile(r"v?(add|sub|mul|div|sqrt)s[sd]$|vfn?m(add|sub)\d+s[sd]$")
_MATH = {
    "exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "pow", "sin", "cos", "tan", "sincos", "asin",
    "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "cbrt", "hypot",
    "tgamma", "lgamma",
}
# Functions of the emulator's headers that have operations of their own, which are no part of the kernel's.
_CONVERSIONS = {"half_from_float", "half_to_float", "bfloat16_from_float", "bfloat16_to_float", "round_to_odd",
                "to_odd_double", "to_integer"}


@dataclass(frozen=True)
class Work:
    """Floating-point operations and calls of mathematical functions."""

    flops: int
    math_calls: int


def countable() -> bool:
    """Whether operations can be counted here: the machine code that is read is x86-64's."""
    return platform.machine() == "x86_64"


def work(library: str, text_offset: int, entered: list[list[int]]) -> Work:
    """What a launch computed.

    Args:
        library: the shared library with the kernel.
        text_offset: where its code starts, from the beginning of the library.
        entered: pairs of a basic block's start, from the start of the code, and how often threads entered it.
    """
    blocks = _blocks(library)
    flops = calls = 0
    for start, times in entered:
        block = blocks.get(text_offset + start, Work(0, 0))
        flops += times * block.flops
        calls += times * block.math_calls
    return Work(flops, calls)


@lru_cache(maxsize=64)
def _blocks(library: str) -> dict[int, Work]:
    """The work in each basic block, by its start: the address behind a call of __sanitizer_cov_trace_pc."""
    command = ["objdump", "-d", "--no-show-raw-insn", library]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    operations: list[tuple[int, int, str, int]] = []  # block, address, mnemonic, calls
    block, starts = None, False
    for line in listing.splitlines():
        if line.endswith(">:"):
            block = None
        instruction = re.match(r"\s*([0-9a-f]+):\s+(\S+)\s*(.*)", line)
        if not instruction:
            continue
        address, mnemonic, rest = int(instruction[1], 16), instruction[2], instruction[3]
        if starts:
            block, starts = address, False
        if mnemonic == "call" and "<__sanitizer_cov_trace_pc" in rest:
            starts = True
        elif block is not None:
            if _OPERATION.match(mnemonic):
                operations.append((block, address, mnemonic, 0))
            elif mnemonic in ("call", "jmp") and (name := re.search(r"<(\w+?)f?@plt>", rest)) and name[1] in _MATH:
                operations.append((block, address, mnemonic, 1))
    stacks = watch.frames(library, [address for _, address, _, _ in operations])
    blocks: dict[int, Work] = {}
    for (block, _, mnemonic, calls), stack in zip(operations, stacks, strict=True):
        function = re.sub(r"[<(].*", "", stack[0][0]).rsplit("::", 1)[-1].rsplit(" ", 1)[-1]
        flops = 0 if calls else 2 if mnemonic.startswith("vf") else 1
        if function == "fma_to_odd":  # one fused multiply-add of 16-bit floats, in several steps
            flops = 2 if "mul" in mnemonic else 0
        elif function in _CONVERSIONS:
            flops = calls = 0
        known = blocks.get(block, Work(0, 0))
        blocks[block] = Work(known.flops + flops, known.math_calls + calls)
    return blocks

