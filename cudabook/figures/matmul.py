"""The pictures of the page on matmul: who touches what, where the lanes of an mma are, and the ladder of versions."""

from collections.abc import Iterable

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from .style import BLOCKS, BLUE, GREEN, GREY, INK, ORANGE, PALE, PINK, RED, SKY, WIDTH, board, plot, stamp

LIBRARY = "cuBLAS"


def tile_walk(block: tuple[int, int, int], warp: tuple[Iterable[int], Iterable[int]],
              thread: tuple[Iterable[int], Iterable[int]], step: int = 2) -> Figure:
    """What a block, a warp and a thread touch of a, b and c at one step of k. a is on the left, b on top.

    Args:
        block: rows and columns of the block's tile of c, and how far the tiles of a and b reach along k.
        warp: the rows and the columns of that tile that a warp computes.
        thread: the same for one of its threads.
        step: the k that is drawn.
    """
    rows, columns, depth = block
    warp, thread = (tuple(sorted(set(part)) for part in who) for who in (warp, thread))
    unit = min(70 / columns, 48 / rows)  # k is drawn wider: 20 for its whole depth
    k, gap = 20 / depth, 4
    left, top = 20 + gap, 20 + gap
    width, height = unit * columns, unit * rows
    bottom = top + height
    figure, axes = board(WIDTH * (bottom + 15) / 100, bottom + 15)
    axes.set(aspect="equal")

    def fill(x, y, wide, high, color, gid):
        axes.add_patch(Rectangle((x, y), wide, high, facecolor=color, edgecolor="none", gid=gid))

    fill(0, top, 20, height, PALE, "a")
    fill(left, 0, width, 20, PALE, "b")
    fill(left, top, width, height, PALE, "c")
    for who, color, (of_rows, of_columns) in (("warp", BLOCKS[0], warp), ("thread", BLUE, thread)):
        for begin, n in _runs(of_rows):
            fill(step * k, top + unit * begin, k, unit * n, color, f"{who} a")
            for first, wide in _runs(of_columns):
                fill(left + unit * first, top + unit * begin, unit * wide, unit * n, color, f"{who} c")
        for first, wide in _runs(of_columns):
            fill(left + unit * first, step * k, unit * wide, k, color, f"{who} b")
    for x, y, wide, high in ((step * k, top, k, height), (left, step * k, width, k)):
        axes.add_patch(Rectangle((x, y), wide, high, facecolor="none", edgecolor=INK, lw=0.8, gid="step"))
    axes.text(0, top - 2, f"a: {rows} × {depth}", size=11, va="bottom", color=INK)
    axes.text(left + width, top - gap / 2, f"b: {depth} × {columns}", size=11, va="center", ha="right", color=INK)
    axes.text(left, bottom + 3, f"c: {rows} × {columns}", size=11, va="center", color=INK)
    for line, (who, color, (of_rows, of_columns)) in enumerate((("warp", BLOCKS[0], warp), ("thread", BLUE, thread))):
        y = bottom + 7 + 5 * line
        fill(0, y - 1.5, 3, 3, color, "legend")
        text = f"{len(of_rows)} of a and {len(of_columns)} of b, multiply-adds: {len(of_rows) * len(of_columns):,}"
        axes.text(4.5, y, f"a {who}, each step: {text}", size=11, va="center", color=INK)
    return figure


def _runs(indices: tuple[int, ...]) -> list[tuple[int, int]]:
    """Neighbours put together: first and count of each run."""
    runs: list[list[int]] = []
    for i in indices:
        if runs and i == sum(runs[-1]):
            runs[-1][1] += 1
        else:
            runs.append([i, 1])
    return [(first, n) for first, n in runs]


def mma_lanes(a: dict, b: dict, d: dict, names: list[str], lane: int = 5) -> Figure:
    """Which lane of a warp holds which elements of a, b and d = a b, and in which register.

    Args:
        a, b, d: (row, column) -> (lane, number of the register), for each element.
        names: what the registers of each number are called.
        lane: the lane that is drawn with a thick edge.
    """
    (m, k), n = _size(a), _size(d)[1]
    gap, flat = 1.6, 0.72  # rows are lower than columns are wide
    scale = 100 / (k + gap + n)
    height = (k + m + gap) * flat * scale + 18
    figure, axes = board(WIDTH * height / 100, height)
    for elements, x, y, name in ((a, 0, k + gap, "a"), (b, k + gap, 0, "b"), (d, k + gap, k + gap, "d")):
        held: dict[tuple[int, int], list] = {}
        for place, holder in elements.items():
            held.setdefault(holder, []).append(place)
        for (of_lane, register), places in held.items():
            rows, columns = zip(*places, strict=True)
            corner = (x + min(columns)) * scale, (y + min(rows)) * flat * scale
            size = (max(columns) + 1 - min(columns)) * scale, (max(rows) + 1 - min(rows)) * flat * scale
            axes.add_patch(Rectangle(corner, *size, facecolor=BLOCKS[register], edgecolor="white", lw=1.0,
                                     gid=f"{name} {of_lane} {register}"))  # fmt: skip
            if of_lane == lane:
                axes.add_patch(Rectangle(corner, *size, facecolor="none", edgecolor=INK, lw=2.2, zorder=3, gid="lane"))
            axes.text(corner[0] + size[0] / 2, corner[1] + size[1] / 2, str(of_lane), size=9, ha="center", va="center",
                      color=INK, weight="bold" if of_lane == lane else "normal")  # fmt: skip
    size = " × ".join
    for text, x, y in ((f"a, {size(map(str, _size(a)))}", 0, k + gap - 0.8),
                       (f"b, {size(map(str, _size(b)))}", k - 3.4, 0.8),
                       (f"d, {size(map(str, _size(d)))}", k + gap, k + gap - 0.8)):
        axes.text(x * scale, y * flat * scale, text, size=11, va="center", color=INK)
    y = (k + m + gap + 1.5) * flat * scale
    for i, name in enumerate(names):
        x, at = 50 * (i % 2), y + 5 * (i // 2)
        axes.add_patch(Rectangle((x, at - 1.7), 3.4, 3.4, facecolor=BLOCKS[i], gid="legend"))
        axes.text(x + 4.6, at, name, size=11, va="center", color=INK)
    axes.text(0, y + 10, f"The numbers are lanes; lane {lane} is framed.", size=11, va="center", color=INK)
    return figure


def _size(elements: dict) -> tuple[int, int]:
    return tuple(1 + max(place[axis] for place in elements) for axis in (0, 1))


def matmul_ladder(rows: list[dict], title: str, label: str) -> Figure:
    """Speed of each version, and of cuBLAS.

    Args:
        rows: rows of a record of one dtype and size (``version``, ``tflop_per_s``, ``of_library``).
        title: what they are of.
        label: on what it was measured.
    """
    figure, axes = plot(0.36 * len(rows) + 1.2)
    names, speed = [row["version"] for row in rows], [row["tflop_per_s"] for row in rows]
    bars = axes.barh(names, speed, color=[PINK if name == LIBRARY else BLUE for name in names])
    axes.bar_label(bars, [f" {s:.3g}" + ("" if row["version"] == LIBRARY else f"  ({100 * row['of_library']:.0f} %)")
                          for s, row in zip(speed, rows, strict=True)], fontsize=11)  # fmt: skip
    axes.invert_yaxis()
    axes.margins(x=0.22)
    axes.set_xlabel("TFLOPS (and % of cuBLAS)", fontsize=11)
    stamp(figure, title, label)
    return figure


def matmul_times(rows: list[dict], peak: float, title: str, label: str) -> Figure:
    """Time of one product against its size, on logarithmic axes, above the time that the peak would need.

    Args:
        rows: rows of a record of one dtype (``version``, ``n``, ``ms``), n x n x n each.
        peak: operations a second that the arithmetic units can do.
        title: what they are of.
        label: on what it was measured.
    """
    figure, axes = plot(3.9)
    versions = list(dict.fromkeys(row["version"] for row in rows if row["version"] != LIBRARY))
    sizes = sorted({row["n"] for row in rows})
    for name, color in ((LIBRARY, PINK), *zip(versions, (SKY, ORANGE, GREEN, BLUE, GREY), strict=False)):
        line = sorted((row["n"], row["ms"]) for row in rows if row["version"] == name)
        axes.plot(*zip(*line, strict=True), "o-", ms=4, lw=1.6, color=color, label=name)
    axes.plot(sizes, [2e3 * n**3 / peak for n in sizes], "--", color=RED, lw=1.4, label="all units busy")
    axes.set(xscale="log", yscale="log", xticks=sizes, xticklabels=[f"{n:,}" for n in sizes])
    axes.minorticks_off()
    axes.set_xlabel("n", fontsize=11)
    axes.set_ylabel("time in ms", fontsize=11)
    axes.grid(True, color=PALE)
    stamp(figure, title, label)
    figure.legend(loc="outside lower center", ncols=3, fontsize=11, frameon=False)
    return figure


def two_roofs(points: dict[str, float], bandwidth: float, peaks: dict[str, float], label: str) -> Figure:
    """The most that matrix products can reach: memory's slope, and a ceiling for each dtype.

    Args:
        points: name -> operations for each byte of memory.
        bandwidth: of the memory, in bytes a second.
        peaks: dtype -> operations a second.
        label: on what they were found.
    """
    figure, axes = plot(3.7)
    low, high = min(points.values()) / 3, max(points.values()) * 3
    top = max(peaks.values())
    axes.plot([low, top / bandwidth], [low * bandwidth / 1e12, top / 1e12], color=RED, lw=2.2)
    for name, peak in peaks.items():
        axes.plot([peak / bandwidth, high], [peak / 1e12] * 2, color=RED, lw=2.2, gid=name)
        axes.text(high, peak / 1e12 * 1.1, f"{name}: {peak / 1e12:,.0f}", size=11, ha="right", va="bottom", color=INK)
    for name, intensity in points.items():
        axes.axvline(intensity, color=BLUE, lw=1.2, ls=":")
        axes.text(intensity * 0.97, 1.2, name, size=11, rotation=90, ha="right", va="bottom", color=INK)
    axes.set(xscale="log", yscale="log", ylim=(1, 3 * top / 1e12))
    for ticks in (axes.set_xticks, axes.set_yticks):
        ticks([1, 10, 100, 1000], ["1", "10", "100", "1,000"])
    axes.minorticks_off()
    axes.set_xlabel("operations a byte", fontsize=11)
    axes.set_ylabel("TFLOPS", fontsize=11)
    stamp(figure, "Roofline: what matrix products could reach", label)
    return figure


def shared_roofline(points: dict[str, tuple[float, float]], wavefronts: float, peak: float, label: str) -> Figure:
    """Versions under the roof that shared memory and the arithmetic units make.

    Args:
        points: version -> operations for each wavefront of shared memory, operations a second.
        wavefronts: that all SMs can serve in a second.
        peak: operations a second that the units can do.
        label: on what the speeds were measured.
    """
    figure, axes = plot(3.9)
    ridge = peak / wavefronts
    low = min(x for x, _ in points.values()) / 1.6
    high = max(ridge, *(x for x, _ in points.values())) * 1.8
    axes.plot([low, ridge, high], [low * wavefronts / 1e12, peak / 1e12, peak / 1e12], color=RED, lw=2.2)
    for name, (x, speed) in points.items():
        left = any(x < other < 1.2 * x for other, _ in points.values())  # not onto the next one's name
        axes.plot(x, speed / 1e12, "o", color=BLUE, ms=7, gid=name)
        axes.annotate(name, (x, speed / 1e12), (-6 if left else 0, -8), textcoords="offset points", size=11,
                      ha="right" if left else "center", va="top", color=INK)  # fmt: skip
    axes.set(xscale="log", yscale="log")
    axes.minorticks_off()
    ticks = [t for t in (16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192) if low <= t <= high]
    axes.set_xticks(ticks, [f"{t:,}" for t in ticks])
    bottom, top = axes.get_ylim()
    heights = [t for t in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if bottom <= t <= top]
    axes.set_yticks(heights, [f"{t:,}" for t in heights])
    axes.grid(True, color=PALE)
    axes.set_xlabel("operations a wavefront of shared memory", fontsize=11)
    axes.set_ylabel("TFLOPS", fontsize=11)
    stamp(figure, "Under the roof of shared memory", label)
    return figure


def error_by_k(ks: list[int], errors: dict[str, list[float]]) -> Figure:
    """The relative error of products against the number of terms in a sum.

    Args:
        ks: numbers of terms.
        errors: name -> the error at each of them.
    """
    figure, axes = plot(3.4)
    for color, (name, values) in zip((ORANGE, GREEN, SKY, BLUE, PINK), errors.items(), strict=False):
        axes.plot(ks, values, "o-", color=color, ms=4, lw=1.6, label=name)
    axes.set(xscale="log", yscale="log", xticks=ks, xticklabels=[f"{k:,}" for k in ks])
    axes.minorticks_off()
    axes.set_xlabel("k", fontsize=11)
    axes.set_ylabel("error, in norm", fontsize=11)
    axes.grid(True, color=PALE)
    figure.legend(loc="outside lower center", ncols=2, fontsize=11, frameon=False)
    return figure
