"""Figures of the page on packages. Each function takes data and returns a matplotlib Figure."""

from matplotlib.figure import Figure

from .style import BLOCKS, INK, PALE, board, box


def serving(rows: dict[str, list[str | None]], gpus: list[str]) -> Figure:
    """Which code of a library runs on which GPU.

    Args:
        rows: for each arch list what :func:`cudabook.cuda.serving` says of each GPU.
        gpus: the GPUs, each a name and its compute capability, on two lines.
    """
    left, step, head = 23, 10, 11
    legend = head + step * len(rows) + 3
    figure, axes = board(0.36 * (len(rows) + 2.6), legend + 4)
    width = (100 - left) / len(gpus)
    axes.text(0, head / 2 - 1, "built for", size=11, va="center", color=INK)
    for k, gpu in enumerate(gpus):
        axes.text(left + (k + 0.5) * width, head / 2 - 1, gpu, size=10, ha="center", va="center", color=INK)
    kinds = {"sm": ("white", BLOCKS[0]), "compute": ("white", BLOCKS[1]), None: ("white", "white")}
    for r, (built_for, served) in enumerate(rows.items()):
        y = head + r * step
        axes.text(0, y + step / 2, built_for, size=11, va="center", color=INK, family="monospace")
        for k, code in enumerate(served):
            kind, _, number = (code or "").partition("_")
            text = {"sm": code, "compute": f"PTX {number}", "": ""}[kind]
            box(axes, left + k * width + 0.5, y + 1, width - 1, step - 2, text, color=kinds[kind or None][1],
                 hatch=None if code else "////", edge=INK if code else "#BBBBBB", size=10)  # fmt: skip
    x = 0
    for text, color, hatch in [("binary", BLOCKS[0], None), ("PTX, compiled by the driver", BLOCKS[1], None),
                               ("no kernel image: launches fail", "white", "////")]:  # fmt: skip
        box(axes, x, legend, 4, 4, color=color, hatch=hatch)
        axes.text(x + 5, legend + 2, text, size=10, va="center", color=INK)
        x += 6 + 1.25 * len(text) + 3
    return figure


def wheel(files: dict[str, int], outside: dict[str, list[str]], needs: dict[str, list[str]]) -> Figure:
    """The files of a wheel, and what its libraries find outside of it.

    Args:
        files: the name of each file and its size in bytes.
        outside: libraries that are not in the wheel, by where they come from.
        needs: for a file of the wheel the origins whose libraries it needs, or other files of the wheel.
    """
    row, head, left, right = 8, 9, 54, 66
    heights = [row * (len(libraries) + 1) + 1 for libraries in outside.values()]
    bottom = max(head + row * len(files) + 2, head + sum(heights) + 3 * (len(heights) - 1))
    figure, axes = board(0.036 * bottom, bottom + 1)
    axes.text(0, head / 2, "in the wheel", size=11, va="center", color=INK)
    axes.text(right, head / 2, "must be there", size=11, va="center", color=INK)
    port = {}
    for k, (name, size) in enumerate(files.items()):
        y = head + k * row
        color = BLOCKS[0] if name.endswith(".so") else BLOCKS[2] if name.endswith(".py") else PALE
        box(axes, 0, y, left, row - 1.5, color=color)
        axes.text(1.5, y + row / 2 - 0.75, name, size=10, va="center", color=INK, zorder=4)
        axes.text(left - 1.5, y + row / 2 - 0.75, f"{size / 1000:,.0f} kB" if size >= 1000 else f"{size} B", size=10,
                  va="center", ha="right", color=INK, zorder=4)  # fmt: skip
        port[name] = (left, y + row / 2 - 0.75)
    y = head
    for (origin, libraries), height in zip(outside.items(), heights, strict=True):
        box(axes, right, y, 100 - right, height, color="white")
        axes.text(right + 2, y + row / 2, origin, size=10, weight="bold", va="center", color=INK, zorder=4)
        for k, name in enumerate(libraries):
            axes.text(right + 2, y + row * (k + 1.5), name, size=10, va="center", color=INK, zorder=4)
        port[origin] = (right, y + row / 2)
        y += height + 3
    for name, wanted in needs.items():
        for end in (port[w] for w in wanted):
            bend = "arc3,rad=-0.6" if end[0] == left else "arc3,rad=0"  # to a file of the wheel itself
            axes.annotate("", end, port[name], zorder=5,
                          arrowprops={"arrowstyle": "->", "color": INK, "lw": 1.1, "connectionstyle": bend,
                                      "shrinkA": 0, "shrinkB": 0})  # fmt: skip
    return figure
