"""The figures of the chapter on autograd. Each function takes data and returns a matplotlib Figure."""

from matplotlib.figure import Figure

from .style import BLOCKS, BLUE, GREEN, GREY, INK, ORANGE, PALE, PINK, RED, SKY, board, box, plot, stamp

KINDS = {"operator": "white", "autocast": BLOCKS[1], "autograd": BLOCKS[0], "fake": BLOCKS[3], "kernel": BLOCKS[2],
         "node": BLOCKS[4], "other node": PALE, "aten": PALE}
CALLS = {"v1": SKY, "v2": ORANGE, "v3": BLUE, "eager": PINK, "torch.compile": GREEN}


def path_of_a_call(steps, title: str) -> Figure:
    """The steps of a call from top to bottom, each indented by what it lies in.

    Args:
        steps: what :func:`cudabook.call_trace.record` returned.
        title: one line.
    """
    figure, axes = board(0.33 * (len(steps) + 1), 10 * (len(steps) + 1))
    axes.text(0, 3, title, size=11, va="center", color=INK)
    for row, step in enumerate(steps, start=1):
        left, middle = 3 * step.depth, 10 * row + 4
        box(axes, left, 10 * row, 100 - left, 8, color=KINDS[step.kind])
        text = f"operator {step.text}" if step.kind == "operator" else step.text
        times = f" × {step.times}" if step.times > 1 else ""
        axes.text(left + 1.2, middle, text + times, size=11, va="center", color=INK, zorder=4)
        axes.text(99, middle, step.where, size=10, va="center", ha="right", color=INK, zorder=4)
    return figure


def passes(chains: dict[str, list[tuple[str, float]]], least: float | None = None) -> Figure:
    """How often the whole matrix crosses the memory bus, by operation.

    Args:
        chains: name -> its operations: (name, passes over the matrix).
        least: the fewest passes possible, drawn as a line.
    """
    figure, axes = plot(0.55 * len(chains) + 0.9)
    for row, operations in enumerate(chains.values()):
        left = 0
        for k, (name, count) in enumerate(operations):
            axes.barh(row, count, left=left, color=BLOCKS[k % len(BLOCKS)], edgecolor=INK, lw=0.8, height=0.7)
            text = name.replace("_residual", "")
            axes.text(left + count / 2, row, text, ha="center", va="center", size=10, color=INK)
            left += count
    if least is not None:
        axes.axvline(least, color=RED, lw=2.2, ls="--")
        axes.text(least, -0.55, " the fewest", size=11, color=INK, va="bottom", ha="left")
    axes.set_yticks(range(len(chains)), chains)
    axes.invert_yaxis()
    axes.set_xlabel("passes over a matrix of the size of x", fontsize=11)
    return figure


def roofline(points: dict[str, float], bandwidth: float, peak: float, label: str) -> Figure:
    """The operations a second that memory and arithmetic units allow, and where kernels stand below them.

    Args:
        points: name -> operations for each byte of memory.
        bandwidth: of the memory, in bytes a second.
        peak: of the arithmetic units, in operations a second.
        label: on what the two were found.
    """
    figure, axes = plot(3.5)
    ridge = peak / bandwidth
    low, high = min(points.values()) / 4, ridge * 8
    axes.plot([low, ridge, high], [low * bandwidth / 1e12, peak / 1e12, peak / 1e12], color=RED, lw=2.2)
    for color, (name, intensity) in zip((BLUE, PINK, GREEN, ORANGE), points.items(), strict=False):
        axes.plot([intensity] * 2, [low * bandwidth / 1e12, intensity * bandwidth / 1e12], "--", color=color, lw=1.2)
        axes.plot(intensity, min(intensity * bandwidth, peak) / 1e12, "o", color=color, ms=8, label=name)
    axes.axvline(ridge, color=GREY, lw=1.2, ls=":")
    axes.text(ridge * 1.08, low * bandwidth / 1e12 * 1.2, f"ridge: {ridge:.0f}", size=11, color=INK)
    axes.set(xscale="log", yscale="log", yticks=[1, 10, 100], yticklabels=["1", "10", "100"], xticks=[1, 10, 100],
             xticklabels=["1", "10", "100"])
    axes.minorticks_off()
    axes.set_xlabel("operations a byte", fontsize=11)
    axes.set_ylabel("TFLOPS", fontsize=11)
    stamp(figure, "Roofline: the most that an operation can reach", label)
    figure.legend(loc="outside lower center", ncols=2, fontsize=11, frameon=False)
    return figure


def fused_bars(rows: list[dict], label: str) -> Figure:
    """Bandwidth of forward, backward and training step, our versions beside eager and torch.compile.

    Args:
        rows: rows of a record of bias_gelu_residual for one dtype and size (``experiment``, ``version``,
            ``gb_per_s``); the version 'copy' is drawn as the limit.
        label: on what it was measured.
    """
    experiments = list(dict.fromkeys(row["experiment"] for row in rows))
    figure, axes = plot(3.9)
    for version, color in CALLS.items():
        mine = [(e, r["gb_per_s"] / 1000) for e in experiments for r in rows
                if (r["experiment"], r["version"]) == (e, version)]
        k = list(CALLS).index(version)
        at = [experiments.index(e) - 0.4 + 0.16 * (k + 0.5) for e, _ in mine]
        axes.bar(at, [speed for _, speed in mine], 0.15, color=color, label=version)
    for row in rows:
        if row["version"] == "copy":
            at = experiments.index(row["experiment"])
            axes.plot([at - 0.46, at + 0.46], [row["gb_per_s"] / 1000] * 2, color=RED, lw=2.2,
                      label=None if at else "copy of as many bytes")
    axes.set_xticks(range(len(experiments)), experiments)
    axes.set_ylabel("TB/s of the bytes that must move", fontsize=11)
    stamp(figure, "gelu(x + bias) + residual, fused and not", label)
    figure.legend(loc="outside lower center", ncols=3, fontsize=11, frameon=False)
    return figure


def call_costs(costs: dict[str, float], title: str) -> Figure:
    """Microseconds a call, one bar a way.

    Args:
        costs: way -> microseconds.
        title: one line: what was measured, and where.
    """
    figure, axes = plot(0.36 * len(costs) + 0.9)
    bars = axes.barh(list(costs), list(costs.values()), color=BLUE)
    axes.bar_label(bars, [f" {cost:.1f}" for cost in costs.values()], fontsize=11)
    axes.invert_yaxis()
    axes.margins(x=0.15)
    axes.set_xlabel("µs a call", fontsize=11)
    stamp(figure, title, "")
    return figure


def difference_error(steps: list[float], errors: dict[str, list[float]], limits: dict[str, float]) -> Figure:
    """How far a difference quotient is from the derivative, against its step; both axes logarithmic.

    Args:
        steps: the values of epsilon.
        errors: dtype -> the largest error for each step.
        limits: errors to compare with, each drawn as a line.
    """
    figure, axes = plot(3.2)
    for color, (dtype, values) in zip((ORANGE, BLUE), errors.items(), strict=False):
        axes.plot(steps, values, "o-", color=color, ms=4, lw=1.6, label=dtype)
    for color, (name, error) in zip((RED, GREY), limits.items(), strict=False):
        axes.axhline(error, color=color, lw=1.6, ls="--", label=name)
    axes.set(xscale="log", yscale="log")
    axes.invert_xaxis()
    axes.set_xlabel("ε", fontsize=11)
    axes.set_ylabel("largest error", fontsize=11)
    figure.legend(loc="outside lower center", ncols=2, fontsize=11, frameon=False)
    return figure
