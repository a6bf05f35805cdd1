"""What the pictures of a profile draw: read from their rectangles and texts, and compared with the profile's counts."""

import dataclasses
from itertools import pairwise

import pytest
import torch

import cudabook
from cudabook import figures
from cudabook.profiling import Access

SOURCE = """#include <cuda_runtime.h>
__global__ void kernel(float* g, int stride, int first) {
    g[stride * threadIdx.x + first] += 1;
}
template <int WIDTH>
__global__ void columns(float* g) {
    __shared__ float tile[32][WIDTH];
    tile[threadIdx.y][threadIdx.x] = g[threadIdx.x];
    __syncthreads();
    g[threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void wide(float* g, int stride, int lanes) {
    __shared__ float4 s[1024];
    s[stride * (threadIdx.x % lanes)] = reinterpret_cast<float4*>(g)[threadIdx.x];
}
extern "C" void run(float* g, int stride, int first) { kernel<<<1, 32>>>(g, stride, first); }
extern "C" void square(float* g) { columns<32><<<1, dim3(32, 32)>>>(g); }
extern "C" void padded(float* g) { columns<33><<<1, dim3(32, 32)>>>(g); }
extern "C" void four(float* g, int stride, int lanes) { wide<<<1, 32>>>(g, stride, lanes); }
"""


@pytest.fixture(scope="module")
def op(tmp_path_factory):
    path = tmp_path_factory.mktemp("figures") / "patterns.cu"
    path.write_text(SOURCE)
    return cudabook.load(path, "emulator")


def launch_of(op, run, *args):
    whole = torch.zeros(8192)
    g = whole[-(whole.data_ptr() // 4) % 64 :]  # from a multiple of 256 bytes, as on a GPU
    with cudabook.profile() as p:
        getattr(op, run)(g, *args)
    return p.launches[0]


def access_of(launch, kind, space="global"):
    [access] = [a for a in launch.accesses if (a.kind, a.space) == (kind, space)]
    return access


def rectangles(figure, gid):
    return [patch for patch in figure.axes[0].patches if patch.get_gid() == gid]


def texts(figure):
    axes = figure.axes[0]
    return "\n".join([figure.get_suptitle(), axes.get_xlabel(), *(text.get_text() for text in axes.texts)])


# lanes apart, first element -> sectors touched, bytes asked for
PATTERNS = {"coalesced": (1, 0, 4, 128), "misaligned": (1, 1, 5, 128), "strided": (2, 0, 8, 128),
            "far apart": (32, 0, 32, 128), "broadcast": (0, 3, 1, 4)}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_sectors_that_a_request_moves(op, pattern):
    stride, first, sectors, wanted = PATTERNS[pattern]
    access = access_of(launch_of(op, "run", stride, first), "load")
    figure = figures.lane_map(access)
    moved = rectangles(figure, "moved")
    assert len(moved) == access.sectors == sectors and {r.get_width() for r in moved} == {32}
    assert sum(r.get_width() for r in rectangles(figure, "wanted")) == wanted
    assert f"{wanted} bytes asked for, {sectors} sector" in texts(figure)
    assert f"{32 * sectors} bytes" in texts(figure) and "line 3: load of g, 4 bytes a lane" in texts(figure)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_each_lane_has_its_bytes_in_its_row(op, pattern):
    stride, first, *_ = PATTERNS[pattern]
    access = access_of(launch_of(op, "run", stride, first), "load")
    figure = figures.lane_map(access)
    columns = sorted(r.get_x() for r in rectangles(figure, "sector"))
    touched = sorted({start // 32 for _, start in access.example})
    moved = sorted(r.get_x() for r in rectangles(figure, "moved"))
    assert len(moved) == len(touched) and set(moved) <= set(columns)
    for lane, start in access.example:
        [bar] = rectangles(figure, f"lane {lane}")
        assert (bar.get_y() + bar.get_height() / 2, bar.get_width()) == (lane, 4)
        assert bar.get_x() == moved[touched.index(start // 32)] + start % 32


def test_few_lines_are_drawn_whole_and_of_many_the_touched_sectors(op):
    near = figures.lane_map(access_of(launch_of(op, "run", 1, 1), "load"))
    assert len(rectangles(near, "sector")) == 8 and "left out" not in texts(near)  # two lines of four sectors
    far = figures.lane_map(access_of(launch_of(op, "run", 32, 0), "load"))
    assert len(rectangles(far, "sector")) == 32
    assert "only touched sectors are drawn; 93 between them are left out" in texts(far)
    columns = sorted(r.get_x() for r in rectangles(far, "sector"))
    assert all(b - a > 32 for a, b in pairwise(columns))  # a gap where something is left out


def test_axis_names_the_bytes(op):
    access = access_of(launch_of(op, "run", 1, 0), "load")
    axes = figures.lane_map(access).axes[0]
    assert [text.get_text() for text in axes.get_xticklabels()] == [str(access.example[0][1])]
    rows = dict(zip(axes.get_yticks(), (text.get_text() for text in axes.get_yticklabels()), strict=True))
    assert rows[0] == "lane 0" and rows[28] == "lane 28"


def test_lanes_that_take_no_part_have_no_bar(op):
    access = access_of(launch_of(op, "run", 1, 0), "store")
    half = dataclasses.replace(access, example=access.example[::2])
    figure = figures.lane_map(half)
    assert rectangles(figure, "lane 2") and not rectangles(figure, "lane 3") and "16 lanes" in texts(figure)


def colours(figure):
    return {tuple(r.get_facecolor()) for lane in range(32) for r in rectangles(figure, f"lane {lane}")}


def test_bank_conflict_has_another_colour(op):
    square = access_of(launch_of(op, "square"), "load", "shared")
    padded = access_of(launch_of(op, "padded"), "load", "shared")
    bad, good = figures.lane_map(square), figures.lane_map(padded)
    assert "32 wavefronts, the fewest: 1" in texts(bad) and "1 wavefront, the fewest: 1" in texts(good)
    assert len(colours(bad)) == len(colours(good)) == 1 and colours(bad) != colours(good)
    for lane in range(32):
        [one], [other] = rectangles(bad, f"lane {lane}"), rectangles(good, f"lane {lane}")
        assert (int(one.get_x()), int(other.get_x())) == (0, lane)


# From lane 16 on the same words again: served apart all the same, being another half of the warp.
@pytest.mark.parametrize("stride, lanes", [(1, 32), (1, 8), (2, 32), (4, 32), (8, 32), (1, 16), (2, 16)])
def test_wavefronts_of_16_byte_accesses_are_the_profiles(op, stride, lanes):
    access = access_of(launch_of(op, "four", stride, lanes), "store", "shared")
    figure = figures.lane_map(access)
    assert f"{access.wavefronts} wavefronts, the fewest: {access.ideal_wavefronts}" in texts(figure)
    assert len(rectangles(figure, "lane 5")) == 4


def test_lanes_that_read_one_word_do_not_wait():
    example = [[lane, 4 * (lane // 8)] for lane in range(32)]
    access = Access("k.cu", 1, "load", "shared", 4, 1, 32, 128, 0, 0, 1, 1, 1, 0, "", example)
    assert "1 wavefront, the fewest: 1" in texts(figures.lane_map(access))


def test_constant_memory_counts_addresses():
    example = [[lane, 4 * (lane % 3)] for lane in range(32)]
    access = Access("k.cu", 1, "load", "constant", 4, 1, 32, 128, 0, 0, 3, 1, 3, 0, "w", example)
    assert "3 addresses, served one by one" in texts(figures.lane_map(access))


def test_bars_of_lines_against_their_ideal(op):
    launch = launch_of(op, "run", 4, 0)
    figure = figures.line_bars(launch)
    [real], [ideal] = rectangles(figure, "3"), rectangles(figure, "3 ideal")
    sums = [sum(getattr(a, name) for a in launch.accesses) for name in ("sectors", "ideal_sectors")]
    assert sums == [32, 8] and real.get_width() / ideal.get_width() == 4
    assert "3  g[stride * threadIdx.x + first] += 1;" in texts(figure) and "32 (ideal 8)" in texts(figure)


def test_bars_of_lines_are_in_one_scale(op):
    figure = figures.line_bars(launch_of(op, "square"), "wavefronts")
    [stores], [loads] = rectangles(figure, "8"), rectangles(figure, "10")
    assert loads.get_width() / stores.get_width() == 32
    assert "columns<32>: wavefronts by line" in texts(figure) and "1,024 (ideal 32)" in texts(figure)


def test_bars_say_what_they_lack(op):
    launch = launch_of(op, "run", 1, 0)
    with pytest.raises(ValueError, match="No line of kernel has wavefronts"):
        figures.line_bars(launch, "wavefronts")
    with pytest.raises(ValueError, match="expected 'sectors' or 'wavefronts'"):
        figures.line_bars(launch, "lanes")
