"""The figures of the chapter on reductions draw what they are given."""

import pytest
from matplotlib.patches import FancyBboxPatch

from cudabook import figures

VALUES = [3, 1, 7, 0, 4, 1, 6, 3]


def rounds(figure) -> list[list[str]]:
    """The boxes' texts, a list a round, of all lanes."""
    boxes = [text.get_text() for text in figure.axes[0].texts if text.get_ha() == "center"]
    return [boxes[i : i + len(VALUES)] for i in range(0, len(boxes), len(VALUES))]


def lines(figure) -> set[str]:
    return {line.get_gid() for line in figure.axes[0].lines}


def test_a_tree_leaves_half_of_the_threads_idle_in_each_round():
    figure = figures.reduction(VALUES, "halves")
    assert rounds(figure)[1:] == [["7", "2", "13", "3", "", "", "", ""], ["20", "5", *[""] * 6], ["25", *[""] * 7]]
    boxes = [patch for patch in figure.axes[0].patches if isinstance(patch, FancyBboxPatch)]
    assert sum(bool(box.get_hatch()) for box in boxes) == 4 + 6 + 7
    assert {"4 to 0", "0 to 0", "2 to 0", "1 to 0"} <= lines(figure) and "5 to 4" not in lines(figure)


def test_shuffles_down_give_lane_0_the_sum_and_the_last_lane_its_own_value():
    last = rounds(figures.reduction(VALUES, "down"))[-1]
    assert (last[0], last[1], last[-1]) == ("25", "22", "3")


def test_shuffles_both_ways_give_every_lane_the_result():
    assert rounds(figures.reduction(VALUES, "xor"))[-1] == ["25"] * 8
    assert rounds(figures.reduction(VALUES, "xor", max))[-1] == ["7"] * 8


def test_an_unknown_way_is_refused():
    with pytest.raises(ValueError, match="how is 'up', expected one of halves, down, xor"):
        figures.reduction(VALUES, "up")


def test_running_sums_are_drawn_as_given():
    figure = figures.running_sums({"bfloat16": [1, 2, 2], "float32": [1, 2, 3]})
    assert [list(line.get_ydata()) for line in figure.axes[0].lines] == [[1, 2, 2], [1, 2, 3]]


def test_bandwidth_is_drawn_by_width():
    speeds = {("v1", 256): 1000, ("v1", 128): 500, ("copy", 128): 4000, ("copy", 256): 4100, ("torch", 128): 900}
    rows = [{"version": v, "n": n, "gb_per_s": speed} for (v, n), speed in speeds.items()]
    figure = figures.bandwidth_by_width(rows, "Softmax", "Made-up GPU")
    drawn = {line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in figure.axes[0].lines}
    assert drawn == {"v1": ([128, 256], [0.5, 1]), "torch": ([128], [0.9]),
                     "copy of as many bytes": ([128, 256], [4, 4.1])}
    assert figure.get_suptitle() == "Softmax\nMade-up GPU"


def test_bars_of_a_sum_have_their_own_title_and_all_versions():
    rows = [{"version": v, "dtype": "float32", "gb_per_s": 1000, "ms": 1, "ms_low": 1, "ms_high": 1}
            for v in ("v1", "v4", "torch.sum", "copy")]
    figure = figures.bandwidth_bars(rows, "Made-up GPU", "Sum")
    assert figure.get_suptitle() == "Sum\nMade-up GPU" and len(figure.axes[0].patches) == 3


def test_the_fewest_passes_are_a_line():
    assert list(figures.passes({"v1": [("load", 3), ("store", 1)]}, least=2).axes[0].lines[0].get_xdata()) == [2, 2]
    assert not figures.passes({"v1": [("load", 3)]}).axes[0].lines
