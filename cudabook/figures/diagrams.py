"""Pictures of how something is built: who computes which element, what calls or includes what."""

import textwrap

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from .style import BLOCKS, GREY, INK, PALE, board, box


def who_computes(block, thread, blocks: int, threads: int) -> Figure:
    """The map grid -> block -> thread -> element.

    Args:
        block, thread: for each element the block and the thread that handled it, as a kernel wrote them; -1 for an
            element that nobody handled. Length n, up to about 16.
        blocks, threads: the launch: how many blocks, and how many threads in each.
    """
    block, thread = [int(b) for b in block], [int(t) for t in thread]
    owners = list(zip(block, thread, strict=True))
    figure, axes = board(3.3, 40)
    gap = 2.0
    block_width = (100 - gap * (blocks - 1)) / blocks
    cell = min(7.6, (block_width - 2) / threads)
    centre = {}
    axes.text(0, 2, f"grid: {blocks} blocks of {threads} threads", size=11, va="center", color=INK)
    for b in range(blocks):
        left = b * (block_width + gap)
        box(axes, left, 5, block_width, 13, color="white", edge=GREY, zorder=0)
        axes.text(left + block_width / 2, 7.6, f"block {b}", ha="center", va="center", size=11, color=INK)
        start = left + (block_width - threads * cell) / 2
        for t in range(threads):
            busy = (b, t) in owners
            box(axes, start + t * cell + 0.4, 10.5, cell - 0.8, 6, str(t), edge=INK if busy else GREY, size=12,
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
        box(axes, x - width / 2 + 0.3, 29, width - 0.6, 6, str(i), color=color, size=12)
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
    figure, axes = board(2.1, 24)
    cell = 100 / total
    for k in range(total):
        i = k - before
        inside = 0 <= i < n
        color = "white" if not inside else BLOCKS[1] if i < head else BLOCKS[2] if i >= tail else BLOCKS[0]
        box(axes, k * cell + 0.25, 9, cell - 0.5, 6, str(i) if inside else "", color=color, size=11,
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
        box(axes, x, 1.2, 3, 3, color=color)
        axes.text(x + 4.2, 2.8, f"{name} ({count})", size=11, va="center", color=INK)
        x += 44 if name.startswith("body") else 26
    return figure


def layers(columns: list[list[tuple[str, str]]], common: list[tuple[str, str]]) -> Figure:
    """The layers that a call passes from top to bottom, one column a path, then the layers that all share.

    Args:
        columns: for each path its layers: (name, what it does); the first is the path's heading.
        common: the layers below, in the same form.
    """
    rows = max(map(len, columns))
    step, height = 10, 7.4
    figure, axes = board(0.62 * (rows + len(common)) + 0.1, step * (rows + len(common)))
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
    box(axes, x, y, width, height, color=color)
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
    figure, axes = board(0.95 * len(rows), step * len(rows))
    place = {}
    for r, (heading, files) in enumerate(rows):
        y = r * step
        axes.add_patch(Rectangle((0, y + 1), 100, step - 7, facecolor=PALE, edgecolor="none"))
        axes.text(1.5, y + step / 2 - 2.5, textwrap.fill(heading, 11), size=10, va="center", color=INK)
        width = min(34, (100 - left) / len(files) - 2)
        for k, name in enumerate(files):
            centre = left + (100 - left) * (k + 0.5) / len(files)
            box(axes, centre - width / 2, y + 4, width, step - 13, name, color=BLOCKS[r % 3], size=10)
            place[name] = (centre, y + 4, y + step - 9)
    for name, included in edges:
        (x, top, bottom), (to_x, to_top, to_bottom) = place[name], place[included]
        down = to_top > top
        _arrow(axes, x, bottom if down else top, to_top if down else to_bottom, to_x)
    return figure
