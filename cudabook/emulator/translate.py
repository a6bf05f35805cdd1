"""Turns CUDA C++ into C++ that g++ compiles against the emulator's headers.

The changes are textual, small, and keep every line where it was:

- ``NAME<<<grid, block, shared, stream>>>(args)`` becomes a call of ``cudabook::launch``;
- ``__shared__ T x[N];`` becomes a reference into the block's shared memory, ``extern __shared__ T x[];`` a pointer;
- every ``__global__`` function gets a first statement by which the runtime learns its name and launch bounds;
- in a binding, the dispatch key CUDA becomes CPU, since the emulator's tensors are CPU tensors.

Everything else is left to the compiler and to the headers in ``include/``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .text import CLOSE, OPEN, mask, split, with_includes

_LITERAL = re.compile(r"-?\s*\d[\w.']*|NULL|nullptr|true|false|\{.*\}", re.DOTALL)
_ATTRIBUTE = re.compile(r"\b(?:__align__|alignas|__attribute__|__launch_bounds__)\s*\(")

# cudaLaunchKernel((void*)kernel, ...) and its kin.
_KERNEL_AS_POINTER = re.compile(
    r"\bcuda(?:Launch(?:Cooperative)?Kernel|Func\w+|Occupancy\w+)\s*\([\w\s,&*]*?(\(\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*\))")


class TranslationError(ValueError):
    """A construct that the emulator cannot run. The message starts with ``file:line``."""


@dataclass
class _Edit:
    start: int
    end: int
    text: str


def translate(source: str, path: str = "<string>") -> str:
    """Translate the text of a ``.cu`` or ``.cuh`` file.

    Args:
        source: the CUDA C++ text.
        path: the file that compiler messages and reports shall name.

    Returns:
        C++ text with as many lines, after a ``#line`` directive.

    Raises:
        TranslationError: the text uses something that the emulator does not support; the message names the line.
    """
    return _Translation(source, path).run()


def translate_binding(source: str, path: str = "<string>") -> str:
    """Translate a C++ binding: what is said of CUDA tensors is said of CPU tensors."""
    code = mask(source)
    edits = []
    for pattern, text in [
        (r"\b(?:STABLE_)?TORCH_LIBRARY_IMPL\s*\(\s*\w+\s*,\s*(?:Autograd)?(CUDA)\b", "CPU"),
        (r"\bk(CUDA)\b", "CPU"),
        (r"\bis_(cuda)\s*\(", "cpu"),
    ]:
        edits += [_Edit(*m.span(1), text) for m in re.finditer(pattern, code)]
    return f'#line 1 "{path}"\n' + _apply(source, edits)


def _apply(source: str, edits: list[_Edit]) -> str:
    pieces, at = [], 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        if edit.start < at:
            raise AssertionError("edits overlap")
        pieces += [source[at : edit.start], edit.text]
        at = edit.end
    return "".join([*pieces, source[at:]])


def _quote(text: str) -> str:
    return '"' + re.sub(r"\s+", " ", text.replace("\\\n", " ")).strip().replace("\\", "\\\\").replace('"', '\\"') + '"'


class _Translation:
    def __init__(self, source: str, path: str):
        self.source, self.path = source, path
        self.code = mask(source)
        self.edits: list[_Edit] = []

    def run(self) -> str:
        self.refuse_unsupported()
        for match in re.finditer(r"\b__noinline__\b", self.code):  # libstdc++ needs the name for itself
            self.edits.append(_Edit(*match.span(), "__attribute__((noinline))"))
        for match in _KERNEL_AS_POINTER.finditer(self.code):  # its type is needed
            self.edits.append(_Edit(*match.span(1), ""))
        for match in re.finditer(r"\b__global__\b", self.code):
            self.kernel(match)
        for number, match in enumerate(re.finditer(r"\b__shared__\b", self.code)):
            self.shared(match, number)
        for match in re.finditer(r"\b__constant__\b", self.code):
            self.constant(match)
        for match in re.finditer(r"<<<", self.code):
            self.launch(match.start())
        return f'#line 1 "{self.path}"\n' + _apply(self.source, self.edits)

    def error(self, at: int, why: str) -> TranslationError:
        return TranslationError(f"{self.path}:{self.source.count(chr(10), 0, at) + 1}: {why}")

    def refuse_unsupported(self) -> None:
        refusals = {
            r"\basm\s*(?:volatile\s*)?\(": "inline PTX (asm) cannot run on the emulator. Run this file on a GPU, "
            "or write the step in CUDA C++.",
            r"#[ \t]*include[ \t]*<(?:cub|thrust|cutlass|cute|cuda)/[^>]*>": "this header "
            "is not part of the emulator. Run this file on a GPU.",
            r"\bcuda(?:Texture|Surface)Object_t\b": "texture and surface objects are not part of the emulator. Run "
            "this file on a GPU, or read the array by a pointer.",
            r"\b__cluster_dims__\b": "clusters of blocks are not part of the emulator. Run this file on a GPU.",
        }
        for pattern, why in refusals.items():
            if match := re.search(pattern, self.code):
                raise self.error(match.start(), why)

    # --- scanning

    def closing(self, at: int) -> int:
        """The position of the bracket that closes the one at ``at``."""
        expected = []
        for i in range(at, len(self.code)):
            c = self.code[i]
            if c in OPEN:
                expected.append(CLOSE[OPEN.index(c)])
            elif c in CLOSE:
                if c != expected.pop():
                    break
                if not expected:
                    return i
        raise self.error(at, f"the bracket '{self.code[at]}' is never closed.")

    def inside(self, bracket: int) -> str:
        return self.source[bracket + 1 : self.closing(bracket)]

    def end_of_macro(self, at: int) -> int | None:
        """Where the ``#define`` ends that ``at`` stands in, or None if it stands in none."""
        start = at
        while (start := self.code.rfind("\n", 0, start)) > 0 and self.code[start - 1] == "\\":
            pass
        if not re.match(r"[ \t]*#[ \t]*define\b", self.code[start + 1 :]):
            return None
        return re.compile(r"(?<!\\)\n|\Z").search(self.code, at).start()

    def skip_space(self, at: int) -> int:
        while at < len(self.code) and (self.code[at].isspace() or self.code.startswith("\\\n", at)):
            at += 1
        return at

    def skip_space_back(self, at: int) -> int:
        while at > 0 and (self.code[at - 1].isspace() or self.code[at - 1] == "\\"):
            at -= 1
        return at

    def opening(self, at: int, pair: str) -> int:
        """The position of the bracket that is closed just before ``at``, searching backwards."""
        depth, i = 0, at
        while i > 0:
            i -= 1
            c = self.code[i]
            if c == pair[1] and not (c == ">" and self.code[i - 1] == "-"):
                depth += 1
            elif c == pair[0]:
                depth -= 1
                if depth == 0:
                    return i
            elif pair == "<>" and c in CLOSE:
                i = self.opening(i + 1, "([{"[CLOSE.index(c)] + c)
        raise self.error(at, f"the bracket '{pair[1]}' was never opened.")

    # --- NAME<<<config>>>(args)

    def launch(self, at: int) -> None:
        start = self.callee(at)
        name = self.source[start:at].replace("\\\n", "  ").strip()
        end = self.config_end(at)
        paren = self.skip_space(end + 3)
        close = self.closing(paren)
        config = self.source[at + 3 : end]
        arguments = split(self.source[paren + 1 : close], self.code[paren + 1 : close], angle=False)
        parameters, call, passed = [], [], []
        for i, argument in enumerate(arguments):
            text = argument.strip()
            if _LITERAL.fullmatch(text) or text.endswith("..."):
                call.append(text)  # 0, NULL and {...} change their type in a parameter
            elif text == "__VA_ARGS__" and i == len(arguments) - 1:
                parameters.append(f"auto&&... cudabook_{i}")
                call.append(f"cudabook_{i}...")
                passed.append(argument)
            else:
                parameters.append(f"auto&& cudabook_{i}")
                call.append(f"cudabook_{i}")
                passed.append(argument)
        tail = "".join("," + p for p in passed)
        text = (
            f"cudabook::launch({{{_quote(name)}, __FILE__, __LINE__}}, cudabook::Config({config}), "
            f"[&]({', '.join(parameters)}) {{ {name}({', '.join(call)}); }}{tail})"
        )
        self.edits.append(_Edit(start, close + 1, self.keep_lines(start, close + 1, text)))

    def keep_lines(self, start: int, end: int, text: str) -> str:
        """Append the line breaks that the replaced text had and ``text`` lacks."""
        original = self.source[start:end]
        continued, plain = original.count("\\\n"), original.count("\n")
        missing = plain - text.count("\n")
        return text + ("\\\n" if continued else "\n") * max(0, missing)

    def callee(self, at: int) -> int:
        """Where the expression that is launched starts: ``ns::kernel<T>``, ``table[i]`` or ``(pointer)``."""
        i = self.skip_space_back(at)
        while i > 0 and self.code[i - 1] in ">])":
            closer = self.code[i - 1]
            i = self.skip_space_back(self.opening(i, {">": "<>", "]": "[]", ")": "()"}[closer]))
            if closer == ")":
                break
        while True:
            word = re.search(r"[A-Za-z_]\w*(?:\s*##\s*\w+)*$", self.code[:i])  # with what a macro pastes
            if not word:
                break
            i = word.start()
            before = self.skip_space_back(i)
            if self.code[:before].endswith(("::", "->")):
                i = self.skip_space_back(before - 2)
            elif self.code[:before].endswith("."):
                i = self.skip_space_back(before - 1)
            elif re.search(r"\btemplate$", self.code[:before]):
                i = before
                continue
            else:
                break
            if i > 0 and self.code[i - 1] == ">":
                i = self.skip_space_back(self.opening(i, "<>"))
        start = self.skip_space(i)
        if start >= self.skip_space_back(at):
            raise self.error(at, "no kernel name stands before '<<<'.")
        return start

    def config_end(self, at: int) -> int:
        depth = 0
        for i in range(at + 3, len(self.code) - 2):
            c = self.code[i]
            if c in OPEN:
                depth += 1
            elif c in CLOSE:
                depth -= 1
            elif depth == 0 and self.code.startswith(">>>", i) and self.code[self.skip_space(i + 3)] == "(":
                return i
        raise self.error(at, "this '<<<' has no '>>>(' after it.")

    # --- __global__

    def kernel(self, match: re.Match) -> None:
        i = match.end()
        statement = max(self.code.rfind(c, 0, match.start()) for c in ";{}") + 1
        before = re.search(r"\b__launch_bounds__\s*\(", self.code[statement : match.start()])
        bounds = self.inside(statement + before.end() - 1) if before else ""
        macro_end = self.end_of_macro(match.start())
        while True:
            paren = self.code.find("(", i)
            stop = re.search(r"[;{}]", self.code[i:])
            if paren < 0 or (stop and i + stop.start() < paren) or (macro_end and paren > macro_end):
                raise self.error(match.start(), "'__global__' must stand before a function that can be seen here.")
            close = self.closing(paren)
            attribute = re.search(r"(\w+)\s*$", self.code[i:paren])
            if attribute and attribute[1] in ("__launch_bounds__", "__attribute__", "alignas"):
                if attribute[1] == "__launch_bounds__":
                    bounds = self.inside(paren)
                i = close + 1
                continue
            break
        brace = self.skip_space(close + 1)
        if self.code.startswith("noexcept", brace):
            brace = self.skip_space(brace + len("noexcept"))
        if brace < len(self.code) and self.code[brace] == "{":
            flat = re.sub(r"\s+", " ", bounds)
            self.edits.append(_Edit(brace + 1, brace + 1, f" CUDABOOK_KERNEL((cudabook::launch_bounds({flat})));"))

    # --- __constant__

    def constant(self, match: re.Match) -> None:
        """Make the variables known to the runtime, where the declaration stands at file scope and by itself."""
        start = max(self.code.rfind(c, 0, match.start()) for c in ";{}") + 1
        end = match.end()
        while end < len(self.code) and self.code[end] != ";":
            end = self.closing(end) + 1 if self.code[end] in OPEN else end + 1
        before = self.code[start : match.start()]
        if self.end_of_macro(match.start()) is not None or re.search(r"\b(?:extern|template)\b", before):
            return
        if not self.at_file_scope(match.start()):
            return
        parts = split(self.source[match.end() : end], self.code[match.end() : end], angle=True)
        for part in parts:
            name = re.search(r"([A-Za-z_]\w*)\s*$", re.split(r"\[|=|\{", self.without_attributes(part))[0])
            if name:
                known = f" static const cudabook::Constant cudabook_constant_{name[1]}(&{name[1]}, sizeof {name[1]});"
                self.edits.append(_Edit(end + 1, end + 1, known))

    # --- __shared__

    def shared(self, match: re.Match, number: int) -> None:
        start = max(self.code.rfind(c, 0, match.start()) for c in ";{}") + 1
        if self.end_of_macro(match.start()) is not None:
            raise self.error(match.start(), "'__shared__' inside a macro: write the declaration out.")
        start = self.skip_space(start)
        end = start
        while end < len(self.code) and self.code[end] != ";":
            end = self.closing(end) + 1 if self.code[end] in OPEN else end + 1
        declaration = re.sub(r"\b(?:__shared__|static)\b", "", self.source[start:end])
        dynamic = re.search(r"\bextern\b", mask(declaration))
        if dynamic:
            text = self.dynamic_shared(match, declaration.replace("extern", "", 1))
        elif self.at_file_scope(start):
            raise self.error(match.start(), "a __shared__ variable outside a function: declare it in the kernel.")
        else:
            text = self.static_shared(match, declaration, number)
        self.edits.append(_Edit(start, end + 1, self.keep_lines(start, end + 1, text)))

    def static_shared(self, match: re.Match, declaration: str, number: int) -> str:
        names = []
        for part in split(declaration, mask(declaration), angle=True):
            found = re.search(r"([A-Za-z_]\w*)\s*$", re.split(r"\[", self.without_attributes(part))[0])
            if "=" in mask(part) or not found:
                raise self.error(match.start(), "a __shared__ variable is declared without a value: every thread of "
                                 "the block would set it. Assign it in one thread, then __syncthreads().")
            names.append(found[1])
        n, joined = number, ", ".join(names)
        references = " ".join(f"auto& {name} = cudabook_memory_{n}.{name};" for name in names)
        return (
            f"struct cudabook_shared_{n} {{ {declaration}; }}; "
            f'static const cudabook::SharedSite cudabook_site_{n}{{"{joined}", __FILE__, __LINE__, '
            f"sizeof(cudabook_shared_{n}), alignof(cudabook_shared_{n})}}; "
            f"auto& cudabook_memory_{n} = cudabook::shared_variable<cudabook_shared_{n}>(cudabook_site_{n}); "
            f"{references}"
        )

    def dynamic_shared(self, match: re.Match, declaration: str) -> str:
        plain = self.without_attributes(declaration)
        found = re.fullmatch(r"\s*(.+?)\b([A-Za-z_]\w*)\s*\[\s*\]\s*((?:\[[^\]]*\]\s*)*)", plain, re.DOTALL)
        if not found:
            raise self.error(match.start(), "dynamic shared memory is declared as 'extern __shared__ T name[];'.")
        kind, name, rest = (part.strip() for part in found.groups())
        if self.at_file_scope(match.start()):
            return f"static const cudabook::DynamicShared<{kind}> {name};"
        if rest:
            return f"{kind} (*const {name}){rest} = reinterpret_cast<{kind} (*){rest}>(cudabook::dynamic_shared());"
        return f"{kind}* const {name} = static_cast<{kind}*>(cudabook::dynamic_shared());"

    @staticmethod
    def without_attributes(text: str) -> str:
        while found := _ATTRIBUTE.search(text):
            depth, end = 0, found.end() - 1
            while True:
                depth += (text[end] == "(") - (text[end] == ")")
                end += 1
                if depth == 0:
                    break
            text = text[: found.start()] + text[end:]
        return text

    def at_file_scope(self, at: int) -> bool:
        """Whether every brace that is open at ``at`` belongs to a namespace or an ``extern "C"``."""
        open_braces = []
        for i in range(at):
            if self.code[i] == "{":
                head = self.code[max(self.code.rfind(c, 0, i) for c in ";{}") + 1 : i]
                open_braces.append(bool(re.search(r"\bnamespace\b|\bextern\s*\"\s*\"\s*$", head)))
            elif self.code[i] == "}" and open_braces:
                open_braces.pop()
        return all(open_braces)


def translated_tree(path: Path, folders: Sequence[Path] = ()) -> dict[Path, str]:
    """Translate a ``.cu`` file and every file that it includes from its own folder or from one of ``folders``.

    Returns:
        Original path -> translated text. Included files keep their place relative to the first.
    """
    files = with_includes(Path(path), folders)
    return {file: _stand_in(file) or translate(file.read_text(), str(file)) for file in files}


def _stand_in(file: Path) -> str | None:
    """What is compiled in place of a ``ptx.cuh``, if it has no other functions than ``include/cudabook/ptx.h``."""
    if file.name != "ptx.cuh":
        return None
    defined = re.findall(r"\b__device__[\w\s]*?(\w+)(?:<\w+>)?\(", mask(file.read_text()))
    known = re.findall(r"\w+", (Path(__file__).parent / "include" / "cudabook" / "ptx.h").read_text())
    return '#include "cudabook/ptx.h"\n' if set(defined) <= set(known) else None
