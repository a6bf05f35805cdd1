"""The look of every figure: palette, paper, the axes and boxes to draw on.

Colours are Okabe and Ito's palette (jfly.uni-koeln.de/color), which colour-blind readers can tell apart. Figures are
six inches wide on white paper, so that their text is still legible on a phone.
"""

import sys
import textwrap

from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

WIDTH = 6.0  # inches
BLUE, ORANGE, GREEN, PINK, SKY, RED, YELLOW = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442",
)  # fmt: skip
INK, GREY, PALE = "#222222", "#8A8A8A", "#ECECEC"
BLOCKS = ["#A9D8F3", "#F7CF86", "#8FD8BF", "#EBC6DC", "#F7F1A1", "#CFCFF2"]  # the same, lighter: paper for dark text


def plot(height: float):
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


def board(height: float, top: float):
    """A drawing board without ticks: x from 0 to 100, y from 0 to ``top``, y downwards."""
    figure, axes = plot(height)
    axes.set_axis_off()
    axes.set(xlim=(0, 100), ylim=(top, 0))
    return figure, axes


def box(axes, x, y, width, height, text="", color=PALE, size=11, edge=INK, hatch=None, zorder=2):
    axes.add_patch(
        FancyBboxPatch(
            (x, y), width, height, boxstyle="round,pad=0,rounding_size=0.8", facecolor=color, edgecolor=edge, lw=0.8,
            hatch=hatch, mutation_aspect=0.5, clip_on=False, zorder=zorder,
        )
    )  # fmt: skip
    axes.text(x + width / 2, y + height / 2, text, ha="center", va="center", size=size, color=INK, zorder=4)


def stamp(figure, title: str, label: str) -> None:
    """The title, and under it on what the data were measured."""
    text = "\n".join([title, *textwrap.wrap(label, 64)])
    figure.suptitle(text, x=0.01, ha="left", fontsize=11, color=INK)
