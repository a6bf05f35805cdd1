"""Pictures of a profile: the addresses of one request by lane, and what each source line costs."""

from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from ..profiling import Access, Launch
from .style import BLOCKS, BLUE, GREY, INK, ORANGE, PALE, RED, board, plot

SECTOR, LINE, BANKS = 32, 128, 32  # bytes, bytes, 4-byte words


def sectors_by_stride(strides: list[int], sectors: list[float]) -> Figure:
    """Sectors that one load of a warp touches, against the distance of its lanes in elements."""
    figure, axes = plot(2.9)
    axes.bar([str(s) for s in strides], sectors, color=BLUE)
    for x, y in enumerate(sectors):
        axes.text(x, y, f"{y:g}", ha="center", va="bottom", size=11, color=INK)
    axes.axhline(4, color=RED, lw=1.5, zorder=3, label="the fewest for 32 floats")
    axes.set_xlabel("stride in floats", size=11)
    axes.set_ylabel("sectors a request", size=11)
    axes.legend(frameon=False, fontsize=11, loc="upper left")
    return figure


def lane_map(access: Access) -> Figure:
    """Which bytes each lane of a warp asks for, in one request: the access's example.

    Global and constant memory are drawn by address, in sectors of 32 bytes, with the bytes that a sector moves for
    nothing below; shared memory by bank, with the lanes that have to wait for another in another colour.

    Args:
        access: one of ``launch.accesses`` of a profile.
    """
    return _banks(access) if access.space == "shared" else _sectors(access)


def _lanes(access: Access, height: float, sentence: str, legend: dict[str, str]):
    """Axes with a row for each of the warp's 32 lanes, lane 0 at the top, and what colours mean below."""
    figure, axes = plot(height)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(length=0, labelsize=10)
    axes.set_yticks(range(0, 32, 4), [f"lane {lane}" for lane in range(0, 32, 4)])
    what = access.name or f"{access.space} memory"
    across = {"load": "of", "store": "to", "atomic": "on", "copy": "to"}[access.kind]
    title = f"line {access.line}: {access.kind} {across} {what}, {access.size} bytes a lane"
    figure.suptitle(f"{title}\n{sentence}", x=0.01, ha="left", fontsize=11, color=INK)
    figure.legend([Patch(color=color) for color in legend.values()], legend, loc="outside lower center",
                  ncols=len(legend), fontsize=10, frameon=False, handlelength=1.2)  # fmt: skip
    return figure, axes


def _drawn_sectors(touched: set[int]) -> list[int]:
    """The sectors to draw: whole 128-byte lines where up to four tell it all, else the touched ones alone."""
    per = LINE // SECTOR
    first, last = min(touched) // per, max(touched) // per
    return list(range(first * per, (last + 1) * per)) if last - first < 4 else sorted(touched)


def _sectors(access: Access) -> Figure:
    wanted = {byte for _, start in access.example for byte in range(start, start + access.size)}
    touched = {byte // SECTOR for byte in wanted}
    drawn = _drawn_sectors(touched)
    left = {}  # sector -> x of its first byte; a gap stands for what is left out
    x = 0
    for before, sector in zip([drawn[0] - 1, *drawn], drawn, strict=False):
        x += 0 if sector == before + 1 else 10
        left[sector] = x
        x += SECTOR
    figure, axes = _lanes(access, 4.6, _sector_sentence(access, wanted, touched), {
        "asked for": BLUE, "rest of the lane's sector": BLOCKS[0], "moved for nothing": ORANGE})  # fmt: skip
    for sector, begin in left.items():
        axes.add_patch(Rectangle((begin, -0.5), SECTOR, 32, facecolor=PALE if sector in touched else "white",
                                 edgecolor="white" if sector in touched else PALE, lw=0.6, gid="sector"))  # fmt: skip
    for lane, start in access.example:
        for sector in range(start // SECTOR, (start + access.size - 1) // SECTOR + 1):
            axes.add_patch(Rectangle((left[sector], lane - 0.5), SECTOR, 1, facecolor=BLOCKS[0], gid="paid"))
            begin, end = max(start, sector * SECTOR), min(start + access.size, (sector + 1) * SECTOR)
            axes.add_patch(Rectangle((left[sector] + begin % SECTOR, lane - 0.5), end - begin, 1, facecolor=BLUE,
                                     gid=f"lane {lane}"))  # fmt: skip
    for sector in touched:  # the sum of all lanes: what is moved, and of that what somebody wanted
        axes.add_patch(Rectangle((left[sector], 33), SECTOR, 1.6, facecolor=ORANGE, gid="moved"))
    for byte in wanted:
        axes.add_patch(Rectangle((left[byte // SECTOR] + byte % SECTOR, 33), 1, 1.6, facecolor=BLUE, gid="wanted"))
    left_out = (drawn[-1] - drawn[0] + 1) - len(drawn)
    lines = [sector for sector in drawn if sector % (LINE // SECTOR) == 0]
    for sector in lines if not left_out else []:
        axes.plot([left[sector]] * 2, [-0.5, 34.6], color=INK, lw=1.0)
    marks = drawn[:: -(-len(drawn) // 6)] if left_out or len(lines) > 6 else lines
    axes.set_xticks([left[sector] for sector in marks], [sector * SECTOR for sector in marks])
    axes.set(xlim=(-1, x + 1), ylim=(34.8, -0.7))
    axes.set_xlabel(f"byte, counted from the 128-byte line that {access.name or 'the memory'} starts in"
                    + (f"\n(only touched sectors are drawn; {left_out} between them are left out)" if left_out else ""),
                    size=10, color=INK)  # fmt: skip
    axes.set_yticks([*axes.get_yticks(), 33.8], [f"lane {lane}" for lane in range(0, 32, 4)] + ["together"])
    return figure


def _sector_sentence(access: Access, wanted: set[int], touched: set[int]) -> str:
    moved = SECTOR * len(touched)
    if access.space == "constant":
        different = len({start for _, start in access.example})
        return f"{_count(len(access.example), 'lane')}: {_count(different, 'address', 'addresses')}, served one by one"
    return (f"{_count(len(access.example), 'lane')}: {_count(len(wanted), 'byte')} asked for, "
            f"{_count(len(touched), 'sector')} moved, {moved} bytes")  # fmt: skip


def _count(n: int, one: str, many: str = "") -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"


def _served_together(access: Access) -> int:
    """How many lanes are served together; emulator/runtime/trace.cpp says by which rule, and counts by it."""
    if access.size <= 8:
        return 32
    start = dict(access.example)
    pairs = any(all(start.get(lane ^ bit, at) == at for lane, at in start.items()) for bit in (1, 2))
    return 16 if pairs else 8


def _bank_groups(access: Access, together: int) -> dict[int, dict[int, set[int]]]:
    """For each part of the warp that is served apart, by its number: bank -> the different words that lanes want."""
    groups = {}
    for lane, start in access.example:
        group = groups.setdefault(lane // together, {bank: set() for bank in range(BANKS)})
        for word in _words(start, access.size):
            group[word % BANKS].add(word)
    return groups


def _words(start: int, size: int) -> range:
    return range(start // 4, (start + size - 1) // 4 + 1)


def _banks(access: Access) -> Figure:
    together = _served_together(access)
    groups = _bank_groups(access, together)
    most = [max(map(len, group.values())) for group in groups.values()]
    fewest = {part: -(-sum(map(len, group.values())) // BANKS) for part, group in groups.items()}
    words = {word for _, start in access.example for word in _words(start, access.size)}
    sentence = (f"{_count(len(access.example), 'lane')}: {_count(sum(most), 'wavefront')}, "
                f"the fewest: {-(-len(words) // BANKS)}")  # fmt: skip
    figure, axes = _lanes(access, 4.3, sentence, {"bank serves the lane": BLUE, "lane waits for its turn": RED})
    for bank in range(BANKS):
        axes.add_patch(Rectangle((bank + 0.05, -0.5), 0.9, 32, facecolor=PALE, gid="bank"))
    for lane, start in access.example:
        part = lane // together
        for word in _words(start, access.size):
            waits = len(groups[part][word % BANKS]) > fewest[part]
            axes.add_patch(Rectangle((word % BANKS + 0.05, lane - 0.45), 0.9, 0.9, facecolor=RED if waits else BLUE,
                                     gid=f"lane {lane}"))  # fmt: skip
    axes.set_xticks([b + 0.5 for b in range(0, BANKS, 4)], range(0, BANKS, 4))
    axes.set(xlim=(0, BANKS), ylim=(31.7, -0.7))
    axes.set_xlabel("bank", size=11, color=INK)
    return figure


def line_bars(launch: Launch, counter: str = "sectors") -> Figure:
    """What each source line of a kernel costs, beside the least that its bytes would cost.

    Args:
        launch: one launch of a profile.
        counter: 'sectors' (global memory) or 'wavefronts' (shared memory).

    Raises:
        ValueError: the counter is neither, or no line of the kernel has any of it.
    """
    if counter not in ("sectors", "wavefronts"):
        raise ValueError(f"The counter is '{counter}', expected 'sectors' or 'wavefronts'.")
    cost: dict[tuple[str, int], list[int]] = {}
    for a in launch.accesses:
        if a.space == ("global" if counter == "sectors" else "shared"):
            sums = cost.setdefault((a.file, a.line), [0, 0])
            sums[0] += getattr(a, counter)
            sums[1] += getattr(a, f"ideal_{counter}")
    if not cost:
        raise ValueError(f"No line of {launch.kernel} has {counter}: it does not access that memory.")
    figure, axes = board(0.5 * len(cost) + 0.7, 2 * len(cost) + 1.4)
    most = max(real for real, _ in cost.values())
    axes.text(0, 0.3, f"{launch.kernel}: {counter} by line", size=11, va="center", color=INK)
    for place, ((file, line), (real, ideal)) in enumerate(sorted(cost.items())):
        y = 1.2 + 2 * place
        axes.text(0, y + 0.25, f"{line:4}  {_shortened(_source_line(file, line))}", family="monospace", size=9,
                  va="center", color=INK)  # fmt: skip
        axes.add_patch(Rectangle((5, y + 0.65), 72 * real / most, 0.7, facecolor=ORANGE, gid=f"{line}"))
        axes.add_patch(Rectangle((5, y + 0.65), 72 * ideal / most, 0.7, facecolor=BLUE, gid=f"{line} ideal"))
        axes.text(6 + 72 * real / most, y + 1, f"{real:,}" + (f" (ideal {ideal:,})" if real != ideal else ""), size=10,
                  va="center", color=INK)  # fmt: skip
    axes.text(5, 2 * len(cost) + 1.25, "blue: the least for as many bytes; orange: beyond that", size=10, color=GREY)
    return figure


def _source_line(file: str, line: int) -> str:
    return Path(file).read_text().splitlines()[line - 1].strip()


def _shortened(text: str, most: int = 66) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
