"""What a kernel asks of memory, counted on the emulator: requests, sectors, wavefronts, by source line.

The counts are those of the hardware: a *request* is one load or store of a warp, a *sector* 32 bytes of global memory,
a *wavefront* one pass through shared memory's 32 banks. Nsight Compute calls them
``l1tex__t_requests_pipe_lsu_mem_global_op_ld``, ``l1tex__t_sectors_pipe_lsu_mem_global_op_ld`` and
``l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld`` (``_st`` for stores).
"""

import dataclasses
import json
from dataclasses import dataclass, field

from . import flops, watch


@dataclass
class Access:
    """One load, store or atomic of a kernel's source, summed over a launch.

    Attributes:
        file, line: where it stands in the source.
        kind: 'load', 'store', 'atomic', or 'copy': what ``cp.async`` writes to shared memory.
        space: 'global', 'shared' or 'constant'. Local memory is not counted: whether a thread's own array lies in
            registers or in memory is nvcc's decision (``nvcc -Xptxas -v`` tells).
        size: bytes a lane.
        requests: times that a warp executed it with at least one lane.
        lanes: lanes that took part, over all requests.
        bytes: what the lanes asked for.
        sectors, ideal_sectors: 32-byte pieces of global memory that were touched, and that the same bytes would touch
            if they lay side by side.
        wavefronts, ideal_wavefronts: passes through the banks of shared memory, and the fewest for as many words; of
            constant memory the different addresses of a request, which it serves one by one.
        most_ways: the worst bank conflict: wavefronts of one request over its fewest.
        collisions: for atomics, lanes that shared an address with another lane of their request.
        name: the tensor or memory that the example lies in, if it is known.
        example: pairs of a lane and the byte that it starts at, from the 128-byte line that the memory starts in (of
            shared memory: from its start): the first request of the first warp.
    """

    file: str
    line: int
    kind: str
    space: str
    size: int
    requests: int
    lanes: int
    bytes: int
    sectors: int
    ideal_sectors: int
    wavefronts: int
    ideal_wavefronts: int
    most_ways: int
    collisions: int
    name: str
    example: list[list[int]]

    @property
    def lanes_per_request(self) -> float:
        """32 when no lane was idle."""
        return self.lanes / self.requests

    @property
    def efficiency(self) -> float:
        """The part of what was moved that was asked for: 1 is best."""
        if self.space != "global":
            return self.ideal_wavefronts / self.wavefronts
        return self.ideal_sectors / self.sectors


@dataclass
class Launch:
    """One launch: the kernel as the source names it, its configuration, and its accesses in the order of the lines.

    Attributes:
        grid, block: blocks and threads, in x, y and z.
        dynamic_shared, static_shared: bytes a block.
        blocks_per_sm: how many of its blocks an SM of compute capability 9.0 holds at once as far as threads and shared
            memory tell; registers, of which only nvcc knows, can make it fewer.
        limited_by: 'threads', 'blocks' or 'shared memory': what allows no more.
        flops: floating-point operations of all threads, those of tensor cores among them, or None where they cannot
            be counted; see :mod:`cudabook.flops`.
        tensor_flops: those of tensor cores: ``2 * m * n * k`` for each mma of a warp.
        math_calls: calls of mathematical functions such as expf, which are not in ``flops``; or None.
    """

    kernel: str
    signature: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    dynamic_shared: int
    static_shared: int
    blocks_per_sm: int
    limited_by: str
    flops: int | None
    tensor_flops: int
    math_calls: int | None
    accesses: list[Access]

    @property
    def occupancy(self) -> float:
        """The part of an SM's 64 warps that can be resident: 1 is full."""
        threads = self.block[0] * self.block[1] * self.block[2]
        return self.blocks_per_sm * -(-threads // 32) / 64

    @property
    def global_bytes(self) -> int:
        """Bytes of global memory that the sectors of all requests make up."""
        return 32 * sum(a.sectors for a in self.accesses if a.space == "global")

    @property
    def arithmetic_intensity(self) -> float | None:
        """Operations for each byte of global memory requested; None where operations are not counted."""
        if self.flops is None or not self.global_bytes:
            return None
        return self.flops / self.global_bytes

    def total(self, counter: str, kind: str, space: str = "global") -> int:
        """The sum of one counter, such as 'sectors', over the accesses of one kind in one space."""
        return sum(getattr(a, counter) for a in self.accesses if (a.kind, a.space) == (kind, space))


@dataclass
class Profile:
    """The launches of a ``with cudabook.profile()`` block, in their order."""

    launches: list[Launch] = field(default_factory=list)

    def rows(self) -> list[dict]:
        """One dict an access, with the kernel's name: made for ``pandas.DataFrame``."""
        return [{"kernel": launch.kernel, **dataclasses.asdict(a)} for launch in self.launches for a in launch.accesses]

    def __str__(self) -> str:
        lines = []
        for launch in self.launches:
            grid, block = (" x ".join(map(str, v)) for v in (launch.grid, launch.block))
            lines.append(f"{launch.kernel}: {grid} blocks of {block} threads; {launch.blocks_per_sm} blocks fit an SM "
                         f"({launch.occupancy:.0%} of its warps, limited by {launch.limited_by})")
            flops = "not counted here" if launch.flops is None else f"{launch.flops:,}"
            if launch.tensor_flops:
                flops += f" ({launch.tensor_flops:,} of them by tensor cores)"
            intensity = launch.arithmetic_intensity
            lines.append(f"  floating-point operations: {flops}"
                         + (f" and {launch.math_calls:,} calls of functions" if launch.math_calls else "")
                         + (f"; {intensity:.2f} for each byte of global memory" if intensity is not None else ""))
            lines.append(f"  {'line':>5} {'':8} {'':6} {'bytes':>5} {'requests':>9} {'lanes':>5} "
                         f"{'sectors':>9} {'ideal':>9} {'wavefronts':>10} {'ways':>4}")
            for a in launch.accesses:
                shared = a.space != "global"
                lines.append(
                    f"  {a.line:5} {a.space:8} {a.kind:6} {a.size:5} {a.requests:9} {a.lanes_per_request:5.1f} "
                    f"{'' if shared else a.sectors:>9} {a.ideal_wavefronts if shared else a.ideal_sectors:>9} "
                    f"{a.wavefronts if shared else '':>10} {a.most_ways if shared else '':>4}")
        return "\n".join(lines)


class profile:
    """Watch what kernels ask of memory: ``with cudabook.profile() as p: op.vector_add(a, b)``, then ``print(p)``.

    Operators and functions must be looked up inside the block (``op.vector_add``, not a name that was bound before it):
    they are built once more, instrumented. Only the emulator can watch; on a GPU, Nsight Compute does.

    Raises:
        TargetError: something that was loaded for the target 'cuda' is called inside.
    """

    def __enter__(self) -> Profile:
        watch.begin("a profile")
        watch.runtime().cudabook_profile_begin()
        self._profile = Profile()
        return self._profile

    def __exit__(self, *error) -> None:
        watch.end()
        self._profile.launches = _launches(json.loads(watch.runtime().cudabook_profile_end().decode()))


def _launches(raw: list[dict]) -> list[Launch]:
    places = watch.source_lines({(a["library"], a["offset"]) for launch in raw for a in launch["accesses"]})
    launches = []
    for launch in raw:
        merged: dict[tuple, Access] = {}
        for a in launch.pop("accesses"):
            file, line = places[a.pop("library"), a.pop("offset")]
            access = Access(file, line, **a)
            key = (file, line, access.kind, access.space, access.size)
            merged[key] = _sum(merged[key], access) if key in merged else access
        grid, block = tuple(launch.pop("grid")), tuple(launch.pop("block"))
        code = [launch.pop(key) for key in ("library", "text_offset", "entered")]
        done = flops.work(*code) if flops.countable() else None
        launch |= {"flops": done and done.flops + launch["tensor_flops"], "math_calls": done and done.math_calls}
        launches.append(Launch(grid=grid, block=block, accesses=[merged[k] for k in sorted(merged)], **launch))
    return launches


def _sum(a: Access, b: Access) -> Access:
    """Two instructions of one line."""
    same = ("file", "line", "kind", "space", "size", "name", "example")
    counters = [f.name for f in dataclasses.fields(Access) if f.name not in same]
    changes = {c: getattr(a, c) + getattr(b, c) for c in counters} | {"most_ways": max(a.most_ways, b.most_ways)}
    return dataclasses.replace(a, **changes)
