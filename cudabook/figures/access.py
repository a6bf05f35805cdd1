"""Pictures of the page on memory: its levels, the cost of access patterns, the banks of a tile, the transposes."""

import html

from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from .style import BLOCKS, BLUE, GREEN, GREY, INK, ORANGE, PINK, RED, SKY, YELLOW, board, box, plot, stamp

VERSIONS = {"v1": SKY, "v2": ORANGE, "v3": GREEN, "v4": YELLOW, "v5": BLUE, "eager": PINK}


def memory_levels(sms: int, levels: list[tuple[str, str, str]]) -> Figure:
    """The levels of a GPU's memory: the first two in each SM, the others shared by all.

    Args:
        sms: number of SMs.
        levels: (name, size, what else to say), from the one next to the threads to the farthest: four.
    """
    figure, axes = board(3.9, 62)
    for k in (2, 1, 0):  # SMs behind the first
        box(axes, 2 + 2 * k, 6 - 2.2 * k, 88, 27, color="white", edge=GREY if k else INK, zorder=1 - 0.1 * k)
    axes.text(5, 9, "one SM", size=11, weight="bold", va="center", color=INK, zorder=4)
    axes.text(96, 20, f"× {sms}", size=12, weight="bold", va="center", ha="center", color=INK, zorder=4)
    places = [(5, 11.5, 82), (5, 22, 82), (2, 38, 96), (2, 50.5, 96)]
    for k, ((name, size, note), (x, y, width)) in enumerate(zip(levels, places, strict=True)):
        box(axes, x, y, width, 9, color=BLOCKS[k])
        axes.text(x + 2, y + 2.8, name, size=11, weight="bold", va="center", color=INK, zorder=4)
        axes.text(x + width - 2, y + 2.8, size, size=11, va="center", ha="right", color=INK, zorder=4)
        axes.text(x + 2, y + 6.5, note, size=10, va="center", color=INK, zorder=4)
    for x, y, y_end in ((46, 33, 38), (46, 47, 50.5)):
        axes.annotate("", (x, y_end), (x, y), arrowprops={"arrowstyle": "<|-|>", "color": INK, "shrinkA": 0,
                                                         "shrinkB": 0}, zorder=5)  # fmt: skip
    return figure


def sectors_by_pattern(by_stride: dict[int, float], by_offset: dict[int, float]) -> Figure:
    """Sectors that one 4-byte load of a warp touches: by the distance of its lanes, and by where its first lane starts.

    Args:
        by_stride: floats from lane to lane -> sectors a request.
        by_offset: floats from a 128-byte boundary to lane 0 -> sectors a request.
    """
    figure, axes = plot(2.9)
    axes.remove()
    left, right = figure.subplots(1, 2, width_ratios=(len(by_stride), len(by_offset)))
    for axes, counts, what in ((left, by_stride, "stride in floats"), (right, by_offset, "start, in floats")):
        axes.spines[["top", "right"]].set_visible(False)
        axes.bar([str(k) for k in counts], list(counts.values()), color=BLUE)
        for x, sectors in enumerate(counts.values()):
            axes.text(x, sectors, f"{sectors:g}", ha="center", va="bottom", size=10, color=INK)
        axes.axhline(4, color=RED, lw=1.5, zorder=3)
        axes.set_xlabel(what, size=11)
        axes.tick_params(labelsize=10)
        axes.set_ylim(0, 36)
    left.set_ylabel("sectors a request", size=11)
    figure.suptitle("32 lanes, 4 bytes each; red: the fewest that can hold them", x=0.01, ha="left", size=11, color=INK)
    return figure


def bank_maps(tiles: dict[str, list[list[int]]], column: int = 5, bank: int = 5) -> Figure:
    """In which bank each element of a tile lies, for several ways to lay it out, side by side.

    Args:
        tiles: name -> the bank of element [row][column], as a kernel wrote them.
        column: the column to frame: a warp reads it at once.
        bank: the bank to mark.
    """
    figure, axes = plot(2.95)
    axes.remove()
    shades = LinearSegmentedColormap.from_list("banks", ["#F4F8FB", "#6FA8CF"])
    for axes, (name, banks) in zip(figure.subplots(1, len(tiles)), tiles.items(), strict=True):
        rows = len(banks)
        image = [[to_rgb(RED) if b == bank else shades(b / 31)[:3] for b in row] for row in banks]
        axes.imshow(image, interpolation="nearest", gid="banks")
        axes.add_patch(Rectangle((column - 0.5, -0.5), 1, rows, fill=False, edgecolor=INK, lw=1.6, gid="column"))
        different = len({row[column] for row in banks})
        axes.set_title(f"{name}\ncolumn: {different} bank{'s' if different > 1 else ''}", size=11, color=INK)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.set_xlabel("column", size=10)
    figure.axes[0].set_ylabel("row", size=10)
    figure.supxlabel(f"red: elements in bank {bank}; blue: in others, darker with their number\n"
                     "frame: a column, which a warp reads at once", size=10, color=INK)  # fmt: skip
    return figure


def version_costs(costs: dict[str, dict[str, float]]) -> Figure:
    """What versions of a kernel ask for, as multiples of the fewest that it takes: a panel for each counter.

    Args:
        costs: counter -> version -> multiple; a version without it is left out.
    """
    figure, axes = plot(2.7)
    axes.remove()
    for axes, (counter, values) in zip(figure.subplots(1, len(costs)), costs.items(), strict=True):
        axes.spines[["top", "right"]].set_visible(False)
        axes.bar(range(len(values)), list(values.values()), color=[VERSIONS[v] for v in values], gid=counter)
        for x, value in enumerate(values.values()):
            axes.text(x, value, f"{value:.3g}", ha="center", va="bottom", size=10, color=INK)
        axes.axhline(1, color=RED, lw=1.5, zorder=3)
        axes.set_xticks(range(len(values)), values)
        axes.tick_params(labelsize=10)
        axes.margins(y=0.15)
        axes.set_title(counter, size=11, color=INK)
    figure.axes[0].set_ylabel("times the fewest", size=11)
    return figure


def transpose_bars(rows: list[dict], label: str) -> Figure:
    """Bandwidth of each version of transpose for each dtype, with the bandwidth of a copy as the limit.

    Args:
        rows: rows of a record of transpose for one shape (``version``, ``dtype``, ``gb_per_s``, ``ms``, ``ms_low``,
            ``ms_high``); the version 'copy' is drawn as the limit.
        label: on what it was measured.
    """
    dtypes = list(dict.fromkeys(row["dtype"] for row in rows))
    versions = [v for v in VERSIONS if any(row["version"] == v for row in rows)]
    figure, axes = plot(3.9)
    width = 0.84 / len(versions)
    for k, version in enumerate(versions):
        mine = [(dtypes.index(r["dtype"]) - 0.42 + (k + 0.5) * width, r) for r in rows if r["version"] == version]
        speeds = [r["gb_per_s"] / 1000 for _, r in mine]
        spread = [[s * (1 - r["ms"] / r["ms_high"]) for s, (_, r) in zip(speeds, mine, strict=True)],
                  [s * (r["ms"] / r["ms_low"] - 1) for s, (_, r) in zip(speeds, mine, strict=True)]]
        axes.bar([x for x, _ in mine], speeds, width * 0.92, color=VERSIONS[version], label=version, yerr=spread,
                 edgecolor=INK, lw=0.4, error_kw={"lw": 1.0, "ecolor": INK})  # fmt: skip
    for k, row in enumerate(r for r in rows if r["version"] == "copy"):
        at = dtypes.index(row["dtype"])
        axes.plot([at - 0.46, at + 0.46], [row["gb_per_s"] / 1000] * 2, color=RED, lw=2.2,
                  label=None if k else "copy")  # fmt: skip
    axes.set_xticks(range(len(dtypes)), dtypes)
    axes.set_ylabel("bandwidth in TB/s", fontsize=11)
    stamp(figure, "Transpose of {} × {}: bytes read and written a second".format(*_shape(rows)), label)
    figure.legend(loc="outside lower center", ncols=4, fontsize=11, frameon=False)
    return figure


def _shape(rows: list[dict]) -> tuple[str, str]:
    [shape] = {(row["rows"], row["n"]) for row in rows}
    return tuple(f"{size:,}" for size in shape)


class CostTable:
    """A table of access patterns, which a notebook shows; ``str()`` gives the same as text.

    Args:
        rows: dicts with the same keys, which are the heads of the columns.
    """

    def __init__(self, rows: list[dict]):
        self.rows = rows

    def _repr_html_(self) -> str:
        heads = "".join(f"<th>{html.escape(head)}</th>" for head in self.rows[0])
        body = "".join("<tr>" + "".join(f"<td>{html.escape(str(v))}</td>" for v in row.values()) + "</tr>"
                       for row in self.rows)  # fmt: skip
        return f'<table class="costs"><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>'

    def __str__(self) -> str:
        lines = [list(self.rows[0]), *([str(v) for v in row.values()] for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join("  ".join(text.ljust(w) for text, w in zip(line, widths, strict=True)).rstrip()
                         for line in lines)  # fmt: skip

    __repr__ = __str__
