"""The book's plots. Each function takes data and returns a matplotlib Figure; none measures anything.

Colours are Okabe and Ito's palette (jfly.uni-koeln.de/color), which colour-blind readers can tell apart. Figures are
six inches wide on white paper, so that their text is still legible on a phone.
"""

import sys
import textwrap

from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle

WIDTH = 6.0  # inches
BLUE, ORANGE, GREEN, PINK, SKY, RED, YELLOW = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442",
)  # fmt: skip
INK, GREY, PALE = "#222222", "#8A8A8A", "#ECECEC"
BLOCKS = ["#A9D8F3", "#F7CF86", "#8FD8BF", "#EBC6DC", "#F7F1A1", "#CFCFF2"]  # the same, lighter: paper for dark text
VERSIONS = {"v1": SKY, "v2": ORANGE, "v3": BLUE, "torch.add": PINK}


def _figure(height: float):
    """A figure of the book's width and ``height`` inches, and its one axes."""
    if "IPython" in sys.modules:  # let a notebook show a returned Figure as a picture, without touching pyplot
        from IPython import get_ipython
        from IPython.core.pylabtools import select_figure_formats

        if shell := get_ipython():
            select_figure_formats(shell, {"png"})
    figure = Figure(figsize=(WIDTH, height), dpi=200, facecolor="white", layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=11)
    return figure, axes


def _canvas(height: float, top: float):
    """A drawing board without ticks: x from 0 to 100, y from 0 to ``top``, y downwards."""
    figure, axes = _figure(height)
    axes.set_axis_off()
    axes.set(xlim=(0, 100), ylim=(top, 0))
    return figure, axes


def _box(axes, x, y, width, height, text="", color=PALE, size=11, edge=INK, hatch=None, zorder=2):
    axes.add_patch(
        FancyBboxPatch(
            (x, y), width, height, boxstyle="round,pad=0,rounding_size=0.8", facecolor=color, edgecolor=edge, lw=0.8,
            hatch=hatch, mutation_aspect=0.5, clip_on=False, zorder=zorder,
        )
    )  # fmt: skip
    axes.text(x + width / 2, y + height / 2, text, ha="center", va="center", size=size, color=INK, zorder=4)


def _stamp(figure, title: str, label: str) -> None:
    """The title, and under it on what the data were measured."""
    text = "\n".join([title, *textwrap.wrap(label, 64)])
    figure.suptitle(text, x=0.01, ha="left", fontsize=11, color=INK)


def who_computes(block, thread, blocks: int, threads: int) -> Figure:
    """The map grid -> block -> thread -> element.

    Args:
        block, thread: for each element the block and the thread that handled it, as a kernel wrote them; -1 for an
            element that nobody handled. Length n, up to about 16.
        blocks, threads: the launch: how many blocks, and how many threads in each.
    """
    block, thread = [int(b) for b in block], [int(t) for t in thread]
    owners = list(zip(block, thread, strict=True))
    figure, axes = _canvas(3.3, 40)
    gap = 2.0
    block_width = (100 - gap * (blocks - 1)) / blocks
    cell = min(7.6, (block_width - 2) / threads)
    centre = {}
    axes.text(0, 2, f"grid: {blocks} blocks of {threads} threads", size=11, va="center", color=INK)
    for b in range(blocks):
        left = b * (block_width + gap)
        _box(axes, left, 5, block_width, 13, color="white", edge=GREY, zorder=0)
        axes.text(left + block_width / 2, 7.6, f"block {b}", ha="center", va="center", size=11, color=INK)
        start = left + (block_width - threads * cell) / 2
        for t in range(threads):
            busy = (b, t) in owners
            _box(axes, start + t * cell + 0.4, 10.5, cell - 0.8, 6, str(t), edge=INK if busy else GREY, size=12,
                 color=BLOCKS[b % len(BLOCKS)] if busy else "white", hatch=None if busy else "////")  # fmt: skip
            centre[b, t] = start + (t + 0.5) * cell
    width = min(10.0, 100 / len(owners))
    left = (100 - width * len(owners)) / 2
    for i, owner in enumerate(owners):
        x = left + (i + 0.5) * width
        color = BLOCKS[owner[0] % len(BLOCKS)] if owner in centre else "white"
        if owner in centre:
            again = owner in owners[:i]  # a second element of the same thread
            axes.plot([centre[owner], x], [16.5, 29], color=INK, lw=1.0, ls="--" if again else "-", zorder=1)
        _box(axes, x - width / 2 + 0.3, 29, width - 0.6, 6, str(i), color=color, size=12)
    idle = len(centre) - len(set(owners) & set(centre))
    lost = sum(owner not in centre for owner in owners)
    notes = [f"element index i, {len(owners)} in all"]
    notes += ["dashed: a thread's second element"] if len(set(owners)) < len(owners) - lost else []
    notes += [f"hatched: {idle} threads with nothing to do"] if idle else []
    notes += [f"white: {lost} elements that nobody computes"] if lost else []
    axes.text(0, 38.5, "; ".join(notes), size=11, va="center", color=INK)
    return figure


def head_body_tail(address: int, n: int, itemsize: int, width: int = 16) -> Figure:
    """Which elements a kernel with ``width``-byte accesses handles alone and which in vectors.

    Args:
        address: of element 0, in bytes; a multiple of ``itemsize``.
        n: number of elements, up to about 24.
        itemsize: bytes an element.
        width: bytes a vector.
    """
    per = width // itemsize
    head = min(n, -address % width // itemsize)
    tail = head + (n - head) // per * per
    before = address % width // itemsize  # boxes drawn before element 0, which belong to someone else
    total = -(-(before + n) // per) * per
    figure, axes = _canvas(2.1, 24)
    cell = 100 / total
    for k in range(total):
        i = k - before
        inside = 0 <= i < n
        color = "white" if not inside else BLOCKS[1] if i < head else BLOCKS[2] if i >= tail else BLOCKS[0]
        _box(axes, k * cell + 0.25, 9, cell - 0.5, 6, str(i) if inside else "", color=color, size=11,
             edge=INK if inside else "#CCCCCC")  # fmt: skip
    for boundary in range(total // per + 1):
        x = boundary * per * cell
        axes.plot([x, x], [6.5, 17.5], color=INK, lw=1.8, clip_on=False)
        place = "left" if boundary == 0 else "right" if boundary == total // per else "center"
        axes.text(x, 19.3, f"…{(address // width + boundary) * width % 4096:03x}", size=11, ha=place, va="center",
                  color=INK)  # fmt: skip
    axes.text(0, 23, f"multiples of {width}: their addresses end in 0 in hexadecimal", size=11, va="center", color=INK)
    parts = [("head", head, BLOCKS[1]), ("body: whole vectors", tail - head, BLOCKS[0]), ("tail", n - tail, BLOCKS[2])]
    x = 0.0
    for name, count, color in parts:
        _box(axes, x, 1.2, 3, 3, color=color)
        axes.text(x + 4.2, 2.8, f"{name} ({count})", size=11, va="center", color=INK)
        x += 44 if name.startswith("body") else 26
    return figure


def bandwidth_bars(rows: list[dict], label: str) -> Figure:
    """Bandwidth of each version for each dtype, with the bandwidth of a plain copy as the limit.

    Args:
        rows: the rows of a record's experiment "bandwidth" (``version``, ``dtype``, ``gb_per_s``, ``ms``,
            ``ms_low``, ``ms_high``); the version "copy" is drawn as the limit.
        label: on what it was measured.
    """
    dtypes = list(dict.fromkeys(row["dtype"] for row in rows))
    versions = [v for v in VERSIONS if any(row["version"] == v for row in rows)]
    figure, axes = _figure(3.9)
    width = 0.8 / len(versions)
    for k, version in enumerate(versions):
        mine = {row["dtype"]: row for row in rows if row["version"] == version}
        at = [i - 0.4 + (k + 0.5) * width for i, d in enumerate(dtypes) if d in mine]
        speed = [mine[d]["gb_per_s"] / 1000 for d in dtypes if d in mine]
        slow = [r["gb_per_s"] / 1000 * (1 - r["ms"] / r["ms_high"]) for d in dtypes if (r := mine.get(d))]
        fast = [r["gb_per_s"] / 1000 * (r["ms"] / r["ms_low"] - 1) for d in dtypes if (r := mine.get(d))]
        axes.bar(at, speed, width * 0.92, color=VERSIONS[version], label=version, yerr=[slow, fast],
                 error_kw={"lw": 1.0, "ecolor": INK})  # fmt: skip
    limits = {row["dtype"]: row["gb_per_s"] / 1000 for row in rows if row["version"] == "copy"}
    for i, dtype in enumerate(dtypes):
        if dtype in limits:
            axes.plot([i - 0.46, i + 0.46], [limits[dtype]] * 2, color=RED, lw=2.2,
                      label=None if i else "copy of one tensor")  # fmt: skip
    axes.set_xticks(range(len(dtypes)), dtypes)
    axes.set_ylabel("bandwidth in TB/s", fontsize=11)
    _stamp(figure, "Vector add: bytes read and written a second", label)
    figure.legend(loc="outside lower center", ncols=3, fontsize=11, frameon=False)
    return figure


def time_against_size(rows: list[dict], floor: float, crossover: float, label: str) -> Figure:
    """Time of one call against the number of elements, on logarithmic axes.

    Args:
        rows: the rows of a record's experiment "overhead" (``version``, ``n``, ``ms``).
        floor: the time in ms that a call takes however small the input is.
        crossover: the number of elements from which on the memory takes longer than the floor.
        label: on what it was measured.
    """
    figure, axes = _figure(3.9)
    for version in [v for v in VERSIONS if any(row["version"] == v for row in rows)]:
        line = sorted((row["n"], row["ms"] * 1000) for row in rows if row["version"] == version)
        axes.plot(*zip(*line, strict=True), "o-", color=VERSIONS[version], ms=3.5, lw=1.6, label=version)
    axes.axhline(floor * 1000, color=RED, lw=1.4, ls="--", label="least cost of a call")
    axes.axvline(crossover, color=GREY, lw=1.4, ls=":", label=f"crossover: {crossover / 1e6:.1f} million")
    axes.set(xscale="log", yscale="log")
    axes.set_xlabel("elements", fontsize=11)
    axes.set_ylabel("time of one call in µs", fontsize=11)
    axes.grid(True, color=PALE)
    _stamp(figure, "Time of one call against its size", label)
    figure.legend(loc="outside lower center", ncols=2, fontsize=11, frameon=False)
    return figure


def clock_bars(rows: list[dict], label: str) -> Figure:
    """What each way of timing says about the same call.

    Args:
        rows: the rows of a record's experiment "clock" (``method``, ``ms``).
        label: on what it was measured.
    """
    figure, axes = _figure(2.6)
    names = [textwrap.fill(row["method"], 16) for row in rows]
    times = [row["ms"] for row in rows]
    bars = axes.barh(names, times, color=[RED if "no sync" in row["method"] else BLUE for row in rows])
    axes.bar_label(bars, [f" {t:.3g}" for t in times], fontsize=11)
    axes.invert_yaxis()
    axes.margins(x=0.15)
    axes.set_xlabel("time in ms", fontsize=11)
    _stamp(figure, "One call, three clocks", label)
    return figure


def layers(columns: list[list[tuple[str, str]]], common: list[tuple[str, str]]) -> Figure:
    """The layers that a call passes from top to bottom, one column a path, then the layers that all share.

    Args:
        columns: for each path its layers: (name, what it does); the first is the path's heading.
        common: the layers below, in the same form.
    """
    rows = max(map(len, columns))
    step, height = 10, 7.4
    figure, axes = _canvas(0.62 * (rows + len(common)) + 0.1, step * (rows + len(common)))
    width = (100 - 3 * (len(columns) - 1)) / len(columns)
    for k, column in enumerate(columns):
        for r, (name, text) in enumerate(column):
            last = r == len(column) - 1
            _layer(axes, k * (width + 3), r * step, width, height, name, text, BLOCKS[k] if r else "white")
            end = rows * step if last else (r + 1) * step
            _arrow(axes, k * (width + 3) + width / 2, r * step + height, end)
    for r, (name, text) in enumerate(common):
        y = (rows + r) * step
        _layer(axes, 0, y, 100, height, name, text, BLOCKS[2])
        if r < len(common) - 1:
            _arrow(axes, 50, y + height, y + step)
    return figure


def _layer(axes, x, y, width, height, name, text, color):
    _box(axes, x, y, width, height, color=color)
    axes.text(x + width / 2, y + height * 0.3, name, ha="center", va="center", size=11, weight="bold", color=INK)
    axes.text(x + width / 2, y + height * 0.72, text, ha="center", va="center", size=10, color=INK)


def _arrow(axes, x, start, end, to_x=None):
    axes.annotate("", (x if to_x is None else to_x, end), (x, start), arrowprops={"arrowstyle": "-|>", "color": INK})


def includes(rows: list[tuple[str, list[str]]], edges: list[tuple[str, str]]) -> Figure:
    """Files in bands, and which of them includes which.

    Args:
        rows: for each band its heading and its files, from top to bottom.
        edges: pairs (file, file that it includes).
    """
    step, left = 20, 19
    figure, axes = _canvas(0.95 * len(rows), step * len(rows))
    place = {}
    for r, (heading, files) in enumerate(rows):
        y = r * step
        axes.add_patch(Rectangle((0, y + 1), 100, step - 7, facecolor=PALE, edgecolor="none"))
        axes.text(1.5, y + step / 2 - 2.5, textwrap.fill(heading, 11), size=10, va="center", color=INK)
        width = min(34, (100 - left) / len(files) - 2)
        for k, name in enumerate(files):
            centre = left + (100 - left) * (k + 0.5) / len(files)
            _box(axes, centre - width / 2, y + 4, width, step - 13, name, color=BLOCKS[r % 3], size=10)
            place[name] = (centre, y + 4, y + step - 9)
    for name, included in edges:
        (x, top, bottom), (to_x, to_top, to_bottom) = place[name], place[included]
        down = to_top > top
        _arrow(axes, x, bottom if down else top, to_top if down else to_bottom, to_x)
    return figure


def sectors_by_stride(strides: list[int], sectors: list[float]) -> Figure:
    """Sectors that one load of a warp touches, against the distance of its lanes in elements."""
    figure, axes = _figure(2.9)
    axes.bar([str(s) for s in strides], sectors, color=BLUE)
    for x, y in enumerate(sectors):
        axes.text(x, y, f"{y:g}", ha="center", va="bottom", size=11, color=INK)
    axes.axhline(4, color=RED, lw=1.5, zorder=3, label="the fewest for 32 floats")
    axes.set_xlabel("stride in floats", size=11)
    axes.set_ylabel("sectors a request", size=11)
    axes.legend(frameon=False, fontsize=11, loc="upper left")
    return figure


def banks(row: int, lanes: int = 8) -> Figure:
    """Which of the 32 banks the first lanes of a warp read, going down a column of a tile.

    Args:
        row: floats from one row of the tile to the next.
        lanes: lanes to draw; lane k reads word ``k * row``, which lies in bank ``k * row % 32``.
    """
    figure, axes = _canvas(0.32 * lanes + 0.9, lanes + 1.6)
    width = 92 / 32
    for bank in range(0, 32, 4):
        axes.text(8 + (bank + 0.5) * width, 0.3, bank, ha="center", va="center", size=10, color=INK)
    axes.text(0, 0.3, "bank", va="center", size=10, color=INK)
    for lane in range(lanes):
        axes.text(0, lane + 1.3, f"lane {lane}", va="center", size=10, color=INK)
        for bank in range(32):
            hit = lane * row % 32 == bank
            axes.add_patch(Rectangle((8 + bank * width, lane + 0.9), width * 0.86, 0.8, color=BLUE if hit else PALE))
    used = len({lane * row % 32 for lane in range(32)})
    axes.text(0, lanes + 1.4, f"rows of {row} floats: 32 lanes use {used} bank{'s' * (used > 1)}", size=11, color=INK)
    return figure


def source_heat(lines: list[tuple[int, str]], cost: dict[int, float], unit: str) -> Figure:
    """Source lines with a bar behind each: its part of the cost.

    Args:
        lines: line number and text of each line to show.
        cost: line number -> cost, in ``unit``.
        unit: what is counted, for the title.
    """
    figure, axes = _canvas(0.24 * len(lines) + 0.5, len(lines) + 1)
    most = max(cost.values())
    axes.text(0, 0.2, f"{unit} by line", size=11, color=INK)
    for place, (number, text) in enumerate(lines, start=1):
        value = cost.get(number, 0)
        axes.add_patch(Rectangle((11, place - 0.45), 89 * value / most, 0.9, color=BLOCKS[1]))
        axes.text(12, place, text, family="monospace", size=9, va="center", color=INK)
        if value:
            axes.text(10, place, f"{value:,.0f}", size=10, va="center", ha="right", color=INK)
    return figure
