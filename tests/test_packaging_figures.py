"""The figures of the page on packages draw what they are given."""

from matplotlib.patches import FancyBboxPatch

from cudabook import figures


def texts(figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


def test_serving_names_the_code_of_each_gpu():
    rows = {"8.0": ["sm_80", None], "8.0+PTX": ["sm_80", "compute_80"]}
    figure = figures.serving(rows, ["A100", "H100"])
    drawn = texts(figure)
    assert {*rows, "A100", "H100"} <= set(drawn)
    assert (drawn.count("sm_80"), drawn.count("PTX 80")) == (2, 1)
    boxes = [patch for patch in figure.axes[0].patches if isinstance(patch, FancyBboxPatch)]
    assert sum(bool(box.get_hatch()) for box in boxes) == 1 + 1  # one GPU without code, and the legend


def test_wheel_joins_a_library_to_what_it_needs():
    figure = figures.wheel(
        {"__init__.py": 130, "a.so": 386_856, "b.so": 1_000},
        {"PyTorch": ["libc10.so", "libtorch_cpu.so"], "the system": ["libc.so.6"]},
        {"a.so": ["b.so", "PyTorch"], "b.so": ["the system"]},
    )
    drawn = texts(figure)
    assert {"130 B", "387 kB", "1 kB", "libc10.so", "libtorch_cpu.so", "libc.so.6", "PyTorch"} <= set(drawn)
    arrows = [text for text in figure.axes[0].texts if getattr(text, "arrow_patch", None)]
    assert len(arrows) == 3
