"""The figures of the chapter on reductions and rows. Each function takes data and returns a matplotlib Figure."""

import operator

from matplotlib.figure import Figure

from .speed import VERSIONS
from .style import BLOCKS, BLUE, GREEN, GREY, INK, ORANGE, PALE, RED, board, box, plot, stamp

ROUNDS = {"halves": "a tree in shared memory", "down": "shuffles down", "xor": "shuffles both ways"}


def reduction(values: list[float], how: str, combine=operator.add) -> Figure:
    """Who adds what in each round, and what then stands where.

    Args:
        values: one a thread; a power of two, up to about 8.
        how: 'halves' (the first half of the threads adds the second half's values, in shared memory), 'down' (every
            lane adds the value of the lane ``offset`` further on) or 'xor' (of the lane whose number differs in one
            bit).
        combine: what stands for addition.

    Raises:
        ValueError: ``how`` is none of these.
    """
    if how not in ROUNDS:
        raise ValueError(f"how is '{how}', expected one of {', '.join(ROUNDS)}.")
    rounds = _rounds(list(values), how, combine)
    step, left = 16, 17
    width = (100 - left) / len(values)
    figure, axes = board(0.5 * len(rounds) + 0.45, step * len(rounds) + 4)
    axes.text(0, 1, ROUNDS[how], size=11, va="center", color=INK)
    for r, (name, now, sources, useful) in enumerate(rounds):
        y = 5 + r * step
        axes.text(0, y + 3.5, name, size=11, va="center", color=INK)
        for lane, value in enumerate(now):
            x = left + lane * width
            idle = value is None
            box(axes, x + 0.8, y, width - 1.6, 7, "" if idle else f"{value:g}", size=11,
                color=BLOCKS[0] if lane in useful and sources.get(lane) else "white",
                edge=INK if lane in useful else "#BBBBBB", hatch="////" if idle else None)  # fmt: skip
            for source in sources.get(lane, []):
                axes.plot([left + (source + 0.5) * width, x + width / 2], [y - step + 7, y], zorder=1,
                          color=INK if lane in useful else "#CCCCCC", lw=1.1, gid=f"{source} to {lane}")  # fmt: skip
    return figure


def _rounds(values, how, combine):
    """For each round: its name, the values (None: idle), lane -> lanes that it adds, and lanes whose value counts."""
    n = len(values)
    rounds = [(f"{n} threads", list(values), {}, set(range(n)))]
    offset = n // 2
    while offset:
        partner = {lane: lane ^ offset if how == "xor" else lane + offset for lane in range(n)}
        adds = {lane for lane in range(n) if partner[lane] < n and (how != "halves" or lane < offset)}
        values = [combine(v, values[partner[lane]]) if lane in adds else v for lane, v in enumerate(values)]
        useful = set(range(n if how == "xor" else offset))
        seen = [None if how == "halves" and lane not in useful else v for lane, v in enumerate(values)]
        rounds.append((f"offset {offset}", seen, {lane: [lane, partner[lane]] for lane in adds}, useful))
        offset //= 2
    return rounds


def running_sums(totals: dict[str, list[float]]) -> Figure:
    """The sum of the first k ones, as each dtype has it.

    Args:
        totals: dtype -> the sum of 1, 2, 3, ... ones.
    """
    figure, axes = plot(2.9)
    for color, (dtype, line) in zip((BLUE, ORANGE, RED, GREEN), totals.items(), strict=False):
        axes.plot(range(1, len(line) + 1), line, color=color, lw=2, label=dtype)
    axes.set_xlabel("ones added", fontsize=11)
    axes.set_ylabel("their sum", fontsize=11)
    axes.grid(True, color=PALE)
    figure.legend(loc="outside lower center", ncols=3, fontsize=11, frameon=False)
    return figure


def bandwidth_by_width(rows: list[dict], title: str, label: str) -> Figure:
    """Bandwidth of each version against the width of a row.

    Args:
        rows: rows of a record's experiment "… by width" (``version``, ``n``, ``gb_per_s``); the version "copy" is
            drawn as the limit.
        title: one line: what was measured.
        label: on what.
    """
    figure, axes = plot(3.9)
    for version in [v for v in VERSIONS if any(row["version"] == v for row in rows)]:
        axes.plot(*_by_width(rows, version), "o-", color=VERSIONS[version], ms=4, lw=1.8, label=version)
    axes.plot(*_by_width(rows, "copy"), "--", color=RED, lw=1.6, label="copy of as many bytes")
    widths = sorted({row["n"] for row in rows})
    axes.set_xscale("log", base=2)
    axes.set_xticks(widths[::3], [f"{n:,}" for n in widths[::3]])
    axes.set_ylim(bottom=0)
    axes.set_xlabel("elements a row, with as many rows as keep the total", fontsize=11)
    axes.set_ylabel("bandwidth in TB/s", fontsize=11)
    axes.grid(True, color=PALE)
    axes.spines["bottom"].set_color(GREY)
    stamp(figure, title, label)
    figure.legend(loc="outside lower center", ncols=3, fontsize=11, frameon=False)
    return figure


def _by_width(rows, version):
    line = sorted((row["n"], row["gb_per_s"] / 1000) for row in rows if row["version"] == version)
    return zip(*line, strict=True) if line else ((), ())
