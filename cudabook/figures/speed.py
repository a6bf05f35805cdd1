"""Plots of measured time and bandwidth."""

import textwrap

from matplotlib.figure import Figure

from .style import BLUE, GREEN, GREY, INK, ORANGE, PALE, PINK, RED, SKY, plot, stamp

VERSIONS = {"v1": SKY, "v2": ORANGE, "v3": BLUE, "v4": GREEN} | dict.fromkeys(("torch.add", "torch.sum", "torch"), PINK)


def bandwidth_bars(rows: list[dict], label: str, title: str = "Vector add: bytes read and written a second") -> Figure:
    """Bandwidth of each version for each dtype, with the bandwidth of a plain copy as the limit.

    Args:
        rows: the rows of a record's experiment "bandwidth" (``version``, ``dtype``, ``gb_per_s``, ``ms``,
            ``ms_low``, ``ms_high``); the version "copy" is drawn as the limit.
        label: on what it was measured.
        title: one line: what was measured.
    """
    dtypes = list(dict.fromkeys(row["dtype"] for row in rows))
    versions = [v for v in VERSIONS if any(row["version"] == v for row in rows)]
    figure, axes = plot(3.9)
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
    stamp(figure, title, label)
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
    figure, axes = plot(3.9)
    for version in [v for v in VERSIONS if any(row["version"] == v for row in rows)]:
        line = sorted((row["n"], row["ms"] * 1000) for row in rows if row["version"] == version)
        axes.plot(*zip(*line, strict=True), "o-", color=VERSIONS[version], ms=3.5, lw=1.6, label=version)
    axes.axhline(floor * 1000, color=RED, lw=1.4, ls="--", label="least cost of a call")
    axes.axvline(crossover, color=GREY, lw=1.4, ls=":", label=f"crossover: {crossover / 1e6:.1f} million")
    axes.set(xscale="log", yscale="log")
    axes.set_xlabel("elements", fontsize=11)
    axes.set_ylabel("time of one call in µs", fontsize=11)
    axes.grid(True, color=PALE)
    stamp(figure, "Time of one call against its size", label)
    figure.legend(loc="outside lower center", ncols=2, fontsize=11, frameon=False)
    return figure


def clock_bars(rows: list[dict], label: str) -> Figure:
    """What each way of timing says about the same call.

    Args:
        rows: the rows of a record's experiment "clock" (``method``, ``ms``).
        label: on what it was measured.
    """
    figure, axes = plot(2.6)
    names = [textwrap.fill(row["method"], 16) for row in rows]
    times = [row["ms"] for row in rows]
    bars = axes.barh(names, times, color=[RED if "no sync" in row["method"] else BLUE for row in rows])
    axes.bar_label(bars, [f" {t:.3g}" for t in times], fontsize=11)
    axes.invert_yaxis()
    axes.margins(x=0.15)
    axes.set_xlabel("time in ms", fontsize=11)
    stamp(figure, "One call, three clocks", label)
    return figure
