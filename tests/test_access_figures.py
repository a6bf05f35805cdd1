"""The figures of the page on memory draw what they are given."""

from matplotlib.colors import to_rgb
from matplotlib.patches import FancyBboxPatch

from cudabook import figures
from cudabook.figures.style import RED


def texts(axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def test_levels_say_name_size_and_note():
    levels = [("registers", "256 KiB", "one"), ("shared", "228 KiB", "two"), ("L2", "60 MiB", "three"),
              ("device", "141 GB", "four")]
    figure = figures.memory_levels(132, levels)
    drawn = texts(figure.axes[0])
    assert {text for level in levels for text in level} | {"× 132"} <= set(drawn)
    boxes = [patch for patch in figure.axes[0].patches if isinstance(patch, FancyBboxPatch)]
    assert len(boxes) == 3 + 4  # the SM and two behind it, and a box for each level


def test_sectors_by_pattern_has_a_bar_for_each():
    figure = figures.sectors_by_pattern({1: 4, 2: 8, 32: 32}, {0: 4, 1: 5})
    left, right = figure.axes
    assert [bar.get_height() for bar in left.patches] == [4, 8, 32] and texts(left) == ["4", "8", "32"]
    assert [bar.get_height() for bar in right.patches] == [4, 5]
    assert [label.get_text() for label in left.get_xticklabels()] == ["1", "2", "32"]


def test_bank_maps_mark_one_bank_and_count_those_of_a_column():
    plain = [list(range(32)) for _ in range(32)]
    swizzled = [[x ^ y for x in range(32)] for y in range(32)]
    figure = figures.bank_maps({"plain": plain, "swizzled": swizzled}, column=3, bank=7)
    for axes, banks in zip(figure.axes, (plain, swizzled), strict=True):
        image = axes.images[0].get_array()
        red = {(y, x) for y in range(32) for x in range(32) if tuple(image[y, x]) == to_rgb(RED)}
        assert red == {(y, x) for y in range(32) for x in range(32) if banks[y][x] == 7}
        [frame] = axes.patches
        assert (frame.get_x(), frame.get_width(), frame.get_height()) == (2.5, 1, 32)
    assert [axes.get_title() for axes in figure.axes] == ["plain\ncolumn: 1 bank", "swizzled\ncolumn: 32 banks"]


def test_version_costs_have_a_panel_for_each_counter():
    figure = figures.version_costs({"sectors": {"v1": 4.5, "v2": 1}, "wavefronts": {"v2": 16.5}})
    assert [axes.get_title() for axes in figure.axes] == ["sectors", "wavefronts"]
    assert [[bar.get_height() for bar in axes.patches] for axes in figure.axes] == [[4.5, 1], [16.5]]
    assert texts(figure.axes[1]) == ["16.5"]


def test_transpose_bars_and_the_copy():
    speeds = {"v1": 1000, "v5": 3900, "eager": 3000, "copy": 4200}
    rows = [{"version": v, "dtype": d, "rows": 8192, "n": 4096, "gb_per_s": s, "ms": 2, "ms_low": 1, "ms_high": 4}
            for d in ("float32", "bfloat16") for v, s in speeds.items()]
    figure = figures.transpose_bars(rows, "a GPU, recorded once")
    axes = figure.axes[0]
    assert sorted(bar.get_height() for bar in axes.patches) == [1.0, 1.0, 3.0, 3.0, 3.9, 3.9]
    limits = [line for line in axes.lines if line.get_color() == RED]
    assert [list(line.get_ydata()) for line in limits] == [[4.2, 4.2]] * 2
    assert "8,192 × 4,096" in figure.get_suptitle() and "a GPU, recorded once" in figure.get_suptitle()


def test_table_in_a_notebook_and_as_text():
    table = figures.CostTable([{"pattern": "a < b", "sectors": 4}, {"pattern": "c", "sectors": 32}])
    shown = table._repr_html_()
    assert "<th>pattern</th><th>sectors</th>" in shown and "<tr><td>a &lt; b</td><td>4</td></tr>" in shown
    assert str(table) == "pattern  sectors\na < b    4\nc        32"
