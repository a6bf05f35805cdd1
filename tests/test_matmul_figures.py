"""The figures of the page on matmul draw what they are given, and the page does without a record."""

import pytest
from matplotlib.patches import Rectangle
from test_pages_records import run_cells

from cudabook import cuda, figures


def texts(figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


def boxes(figure, gid) -> list[Rectangle]:
    return [patch for patch in figure.axes[0].patches if patch.get_gid() == gid]


def area(figure, gid) -> float:
    return sum(box.get_width() * box.get_height() for box in boxes(figure, gid))


def test_tile_walk_draws_the_parts_in_proportion():
    rows = [r // 4 * 16 + r % 4 for r in range(16)]
    figure = figures.tile_walk((128, 256, 16), (range(64), range(64)), (rows, [*range(4), *range(32, 36)]))
    assert area(figure, "warp c") / area(figure, "c") == pytest.approx(64 * 64 / (128 * 256))
    assert area(figure, "thread c") / area(figure, "c") == pytest.approx(16 * 8 / (128 * 256))
    assert len(boxes(figure, "thread c")) == 4 * 2 and len(boxes(figure, "thread a")) == 4
    assert area(figure, "warp a") / area(figure, "a") == pytest.approx(64 / (128 * 16))
    assert area(figure, "thread b") / area(figure, "b") == pytest.approx(8 / (16 * 256))
    assert "a warp, each step: 64 of a and 64 of b, multiply-adds: 4,096" in texts(figure)


def test_mma_lanes_names_the_lane_in_each_place():
    a = {(r, c): (4 * (r % 8) + c % 8 // 2, r // 8 + 2 * (c // 8)) for r in range(16) for c in range(16)}
    b = {(r, c): (4 * c + r % 8 // 2, r // 8) for r in range(16) for c in range(8)}
    d = {(r, c): (4 * (r % 8) + c // 2, r // 8) for r in range(16) for c in range(8)}
    figure = figures.mma_lanes(a, b, d, ["one", "two", "three", "four"], lane=9)
    drawn = texts(figure)
    assert all(drawn.count(str(lane)) == 4 + 2 + 2 for lane in range(32))
    assert len(boxes(figure, "lane")) == 8 and {"one", "two", "three", "four"} <= set(drawn)
    [held] = boxes(figure, "a 9 3")
    [below] = boxes(figure, "d 9 1")
    assert held.get_y() == below.get_y() and held.get_width() == pytest.approx(2 * held.get_height() / 0.72)


def test_ladder_has_a_bar_for_each_version():
    rows = [{"version": "v1", "tflop_per_s": 10.0, "of_library": 0.25},
            {"version": "cuBLAS", "tflop_per_s": 40.0, "of_library": 1.0}]
    figure = figures.matmul_ladder(rows, "matmul", "Made-up GPU")
    assert [bar.get_width() for bar in figure.axes[0].patches] == [10, 40]
    assert " 10  (25 %)" in texts(figure) and "Made-up GPU" in figure.get_suptitle()


def test_times_lie_above_the_time_of_all_units():
    rows = [{"version": v, "n": n, "ms": ms * (n / 1024) ** 3}
            for v, ms in (("v3", 2.0), ("cuBLAS", 1.0)) for n in (1024, 2048)]
    figure = figures.matmul_times(rows, 2e12, "matmul", "Made-up GPU")
    lines = {line.get_label(): [float(y) for y in line.get_ydata()] for line in figure.axes[0].lines}
    assert lines["v3"] == [2, 16] and lines["cuBLAS"] == [1, 8]
    assert lines["all units busy"] == pytest.approx([2e3 * n**3 / 2e12 for n in (1024, 2048)])


def test_two_roofs_has_a_ceiling_for_each_dtype():
    figure = figures.two_roofs({"n = 64": 10.0, "n = 4096": 700.0}, 4e12, {"float32": 60e12, "bfloat16": 900e12}, "GPU")
    ceilings = [line for line in figure.axes[0].lines if line.get_gid()]
    assert {line.get_gid(): line.get_ydata()[0] for line in ceilings} == {"float32": 60, "bfloat16": 900}
    assert [line.get_xdata()[0] for line in ceilings] == [15, 225]  # where memory's slope meets them
    assert {"n = 64", "n = 4096", "float32: 60", "bfloat16: 900"} <= set(texts(figure))


def test_shared_roofline_puts_versions_below_the_roof():
    figure = figures.shared_roofline({"v3": (32.0, 7e12), "v7": (315.0, 30e12)}, 250e9, 64e12, "GPU")
    points = {line.get_gid(): (line.get_xdata()[0], line.get_ydata()[0]) for line in figure.axes[0].lines[1:]}
    assert points == {"v3": (32, 7), "v7": (315, 30)}
    roof = figure.axes[0].lines[0]
    assert roof.get_xdata()[1] == 256 and roof.get_ydata()[1] == 64


def test_error_by_k_draws_each_line():
    figure = figures.error_by_k([64, 256], {"float32": [1e-7, 2e-7], "bfloat16": [1e-3, 1e-3]})
    assert [list(line.get_ydata()) for line in figure.axes[0].lines] == [[1e-7, 2e-7], [1e-3, 1e-3]]


def test_the_page_says_in_one_line_that_there_is_no_record(tmp_path, monkeypatch):
    monkeypatch.setenv("CUDABOOK_RECORDS", str(tmp_path))
    monkeypatch.setattr(cuda, "problem", lambda: "no GPU is visible")
    names, _, printed = run_cells("05b_matmul.md", 'cudabook.record("matmul")', 'cudabook.record("matmul")')
    assert names["record"] is None
    assert printed.count("\n") == 1 and "no speed is shown" in printed
