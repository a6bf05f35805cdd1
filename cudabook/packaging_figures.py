"""Figures of the page on packages. Each function takes data and returns a matplotlib Figure."""

from matplotlib.figure import Figure

from .figures import BLOCKS, INK, _box, _canvas


def serving(rows: dict[str, list[str | None]], gpus: list[str]) -> Figure:
    """Which code of a library runs on which GPU.

    Args:
        rows: for each arch list what :func:`cudabook.cuda.serving` says of each GPU.
        gpus: the GPUs, each a name and its compute capability, on two lines.
    """
    left, step, head = 23, 10, 11
    legend = head + step * len(rows) + 3
    figure, axes = _canvas(0.36 * (len(rows) + 2.6), legend + 4)
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
            _box(axes, left + k * width + 0.5, y + 1, width - 1, step - 2, text, color=kinds[kind or None][1],
                 hatch=None if code else "////", edge=INK if code else "#BBBBBB", size=10)  # fmt: skip
    x = 0
    for text, color, hatch in [("binary", BLOCKS[0], None), ("PTX, compiled by the driver", BLOCKS[1], None),
                               ("no kernel image: launches fail", "white", "////")]:  # fmt: skip
        _box(axes, x, legend, 4, 4, color=color, hatch=hatch)
        axes.text(x + 5, legend + 2, text, size=10, va="center", color=INK)
        x += 6 + 1.25 * len(text) + 3
    return figure
