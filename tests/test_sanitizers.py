"""Planted faults are found, at their line; correct kernels and the project's own operators raise no report.

``planted/TOOL/NAME.cu`` holds one fault: its first line says what kind it is, ``// here`` ends its line, and of a race
``// other`` ends the line of the other access. ``planted/clean`` holds kernels that only look dangerous.
"""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

import cudabook
from cudabook.build import CSRC, _load_file
from cudabook.emulator.build import build_file

PLANTED = Path(__file__).parent / "planted"
TOOLS = ("memcheck", "initcheck", "racecheck", "synccheck")
FAULTS = sorted(p for tool in TOOLS for p in (PLANTED / tool).glob("*.cu"))
CLEAN = sorted((PLANTED / "clean").glob("*.cu"))
N = 1000


def name_of(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}"


@pytest.fixture(scope="module")
def built():
    """All planted kernels, compiled two at a time: the compiler takes most of these tests' time."""
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda path: build_file(path, watched=True), [*FAULTS, *CLEAN]))


def marked(path: Path, mark: str) -> int:
    numbers = [n for n, line in enumerate(path.read_text().splitlines(), 1) if line.endswith(f"  // {mark}")]
    assert len(numbers) <= 1
    return numbers[0] if numbers else 0


def arguments():
    torch.manual_seed(1)
    return torch.rand(1024), torch.zeros(1024), torch.zeros(1024, dtype=torch.int32)


def sanitized(path: Path):
    op = _load_file(path, "emulator", watched=True)  # as cudabook.load() does within the block, without a plain build
    with cudabook.sanitize() as found:
        x, out, ints = arguments()  # here, so that what lies around them belongs to nobody
        op.run(x, out, ints, N)
    return found, x, out, ints


@pytest.mark.parametrize("path", FAULTS, ids=name_of)
def test_planted_fault_is_found(built, path):
    kind = path.read_text().splitlines()[0].removeprefix("// expect: ")
    here, other = marked(path, "here"), marked(path, "other")
    assert here
    found = sanitized(path)[0]
    assert {r.file for r in found} == {str(path)}, str(found)
    # Of a race, whichever access came later; of a barrier that some never reach, the other line is the kernel's.
    places = [(r.tool, r.kind, {r.line, r.other_line} - {0} if other else {r.line}) for r in found]
    assert (path.parent.name, kind, {here, other} - {0}) in places, str(found)


def test_there_are_enough_planted_faults():
    count = {tool: len([p for p in FAULTS if p.parent.name == tool]) for tool in TOOLS}
    assert min(count.values()) >= 15, count
    assert len(CLEAN) >= 20


def histogram(values: torch.Tensor, bins: int) -> list[int]:
    return torch.bincount(values, minlength=bins).tolist()


CORRECT = {  # what a clean kernel gives, where that is quickly said: (x, out, ints) -> (got, wanted)
    "tree_reduction": lambda x, out, ints: (out[:4].sum(), x[:N].sum()),
    "warp_synchronous": lambda x, out, ints: (out[0], x[:128].sum()),
    "same_value_stores": lambda x, out, ints: (ints[:8].tolist(), [1, 1, 1, 1, 0, 0, 0, 1]),
    "double_buffering": lambda x, out, ints: (out[:128], x.view(8, 128).sum(0).flip(0)),
    "last_block": lambda x, out, ints: (out[:2], x[:N].sum().repeat(2)),
    "last_block_counter_reset": lambda x, out, ints: (out[0], x[:32].sum()),
    "histogram": lambda x, out, ints: (ints[:64].tolist(), histogram((x[:N] * 64).int(), 64)),
    "transpose_padded": lambda x, out, ints: (out[:N].view(40, 25), x[:N].view(25, 40).T),
    "partial_block": lambda x, out, ints: (out, torch.cat([2 * x[:N], torch.zeros(24)])),
    "prefix_scan": lambda x, out, ints: (out[:96], x[:96].cumsum(0)),
    "work_efficient_scan": lambda x, out, ints: (out[:128], x[:128].cumsum(0) - x[:128]),
    "float4_with_tail": lambda x, out, ints: (out[:998], -x[:998]),
    "dynamic_shared_in_two": lambda x, out, ints: (out[:80], x[:80].flip(0)),
    "in_place": lambda x, out, ints: (out[:N], 4 * x[:N] + 3),
    "scratch_buffers": lambda x, out, ints: (out[:N], x[:N].flip(0)),
    "shuffle_reduction": lambda x, out, ints: (out[0], x[:160].sum()),
    "warps_return_early": lambda x, out, ints: (out[:31], x[:992].view(31, 32).amax(1)),
    "producer_consumer": lambda x, out, ints: (out[:32], x[:256].view(8, 32).sum(0).roll(-1)),
    "matmul_tiled": lambda x, out, ints: (out[:961], (x[:961].view(31, 31) @ x[:961].view(31, 31)).flatten()),
    "warp_queue": lambda x, out, ints: (out[: int(ints[0])].sort()[0], x[:N][x[:N] > 0.5].sort()[0]),
    "lock": lambda x, out, ints: (out[0], x[:10].sum()),
    "exchange_as_start": lambda x, out, ints: (ints[0].item(), int((x[:96] > 0.5).sum())),
    "rows_as_one": lambda x, out, ints: (
        out[:32], x[:32].flip(0) * (torch.arange(32) % 8 + 1) + torch.arange(32) % 4 + 1
        + torch.cat([x[20:32].flip(0), torch.zeros(20)])),
    "block_scope": lambda x, out, ints: (
        [*ints[:8].tolist(), ints[100].item()], [int((b > 0.5).sum()) for b in x[:N].split(128)] + [7]),
    "copies_in_two_stages": lambda x, out, ints: (out[:32], x[:256].view(8, 32).sum(0).flip(0)),
    "copies_to_the_host": lambda x, out, ints: (
        torch.cat([out[:N], ints[:2].float()]), torch.cat([6 * x[:N], torch.ones(2)])),
    "odd_even_sort": lambda x, out, ints: (out[:100], x[:100].sort()[0]),
    "compare_and_swap_loop": lambda x, out, ints: (out[0], x[:N].max()),
    "volatile_chain": lambda x, out, ints: (out[:8], x[:8].cumsum(0)),
    "managed_and_pinned": lambda x, out, ints: (out[200:300], -torch.arange(100.0)),
    "returned_structs": lambda x, out, ints: (out[:256].view(64, 4), 3 * x[:256].view(64, 4).flip(0)),
    "matmul_tensor_cores": lambda x, out, ints: (
        out[: 27 * 8].view(27, 8), 2 * x[: 27 * 16].half().float().view(27, 16)[:, :8]),
    "wmma_tiles": lambda x, out, ints: (
        out[:512].half().view(2, 16, 16), torch.bmm(*2 * [x[:512].half().view(2, 16, 16).float()]).half()),
    "cheap_look_before_atomic": lambda x, out, ints: (ints[0].item(), int((x[:N] * 1e6).int().max())),
}


@pytest.mark.parametrize("path", CLEAN, ids=name_of)
def test_correct_kernel_raises_no_report(built, path):
    found, *tensors = sanitized(path)
    assert len(found) == 0, str(found)
    if path.stem in CORRECT:
        got, wanted = CORRECT[path.stem](*tensors)
        torch.testing.assert_close(got, wanted)


def test_every_expected_result_belongs_to_a_kernel():
    assert set(CORRECT) <= {p.stem for p in CLEAN}


def run_vector_add(op):
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        for n in (0, 1, 31, 257, 1000, 4099):
            a, b = torch.randn(n).to(dtype), torch.randn(n).to(dtype)
            for version in (1, 2, 3):
                torch.testing.assert_close(op.vector_add(a, b, version), a + b)
    whole = torch.randn(2, 515)
    for shift in range(4):  # every alignment against 16 bytes
        a, b = whole[0, shift : shift + 500], whole[1, shift : shift + 500]
        assert torch.equal(op.vector_add(a, b, 3), a + b)


def run_bias_gelu_residual(op):
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        for rows, n in ((0, 7), (1, 1), (33, 65), (64, 64), (40, 24)):
            x, residual = torch.randn(2, rows, n).to(dtype)
            bias = torch.ones(n).to(dtype)
            shifted = torch.randn(rows * n + 1).to(dtype)[1:].view(rows, n)
            for version in (1, 2, 3):
                for approximate, grad in (("none", residual), ("tanh", shifted)):
                    out = op.bias_gelu_residual(x, bias, grad, approximate, version)
                    wanted = torch.nn.functional.gelu(x + bias, approximate=approximate) + grad
                    torch.testing.assert_close(out, wanted, rtol=0.02, atol=0.03)
                    op.bias_gelu_residual_backward(grad, x, bias, approximate, version)


def run_softmax(op):
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        for rows, n in ((0, 7), (1, 1), (33, 65), (5, 512), (3, 1024)):
            x, grad = torch.randn(2, rows, n).to(dtype)
            shifted = torch.randn(rows * n + 1).to(dtype)[1:].view(rows, n)
            for version, t in ((1, x), (2, x), (3, x), (4, x), (4, shifted)):
                torch.testing.assert_close(op.softmax(t, version), torch.softmax(t, -1), rtol=0.02, atol=0.03)
                op.softmax_backward(grad, t)


def run_layer_norm(op):
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        for rows, n in ((0, 7), (1, 1), (33, 65), (3, 512)):
            x, grad = torch.randn(2, rows, n).to(dtype)
            weight, bias = torch.randn(2, n).to(dtype)
            shifted = torch.randn(rows * n + 1).to(dtype)[1:].view(rows, n)
            for version, t in ((1, x), (2, x), (3, x), (3, shifted)):
                out, mean, rstd = op.layer_norm(t, weight, bias, version=version)
                wanted = torch.nn.functional.layer_norm(t, (n,), weight, bias)
                torch.testing.assert_close(out, wanted, rtol=0.02, atol=0.06)
                op.layer_norm_backward(grad, t, mean, rstd, weight, min(version, 2))


def run_transpose(op):
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        for rows, n in ((0, 7), (1, 1), (33, 65), (64, 128), (40, 8)):
            a = torch.randn(rows, n).to(dtype)
            for version in (1, 2, 3, 4, 5):
                assert torch.equal(op.transpose(a, version), a.t())


def run_reduce(op):
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        for n in (0, 1, 33, 4099):
            for version in (1, 2, 3, 4):
                assert op.reduce(torch.ones(n, dtype=dtype), version) == torch.ones(n, dtype=dtype).sum()


def run_matmul(op):
    for dtype, versions in ((torch.float32, range(1, 10)), (torch.bfloat16, (3, 5, 10, 11))):
        for m, n, k in ((0, 3, 4), (1, 1, 1), (33, 17, 40), (136, 72, 24)):
            a, b = torch.randn(m, k).to(dtype), torch.randn(k, n).to(dtype)
            for version in versions:
                torch.testing.assert_close(op.matmul(a, b, version), a @ b, rtol=0.02, atol=0.06)


OPERATORS = {
    "transpose": run_transpose,
    "reduce": run_reduce,
    "matmul": run_matmul,
    "vector_add": run_vector_add,
    "bias_gelu_residual": run_bias_gelu_residual,
    "softmax": run_softmax,
    "layer_norm": run_layer_norm,
}


def test_every_operator_is_sanitized_here():
    assert set(OPERATORS) == {p.name for p in CSRC.iterdir() if p.is_dir()}


@pytest.mark.parametrize("name", OPERATORS)
def test_operator_raises_no_report(name):
    op = cudabook.load(name, "emulator")
    with cudabook.sanitize() as found:
        OPERATORS[name](op)
    assert len(found) == 0, str(found)


SMALL = """#include <cuda_runtime.h>
__global__ void store(float* out, int first) { out[first + int(threadIdx.x)] = 1; }
__global__ void tile(float* out) {
    __shared__ float before[8];
    __shared__ int tile[40];
    before[threadIdx.x % 8] = 1;
    tile[threadIdx.x + 11] = int(before[threadIdx.x % 8]);
    out[0] = 1;
}
__global__ void late(const float* x, float* out) {
    __shared__ float s[64];
    s[threadIdx.x] = x[threadIdx.x];
    out[threadIdx.x] = s[63 - threadIdx.x];
}
extern "C" void run_store(float* out, int first, int threads) { store<<<1, threads>>>(out, first); }
extern "C" void run_tile(float* out) { tile<<<1, 32>>>(out); }
extern "C" void run_late(const float* x, float* out) { late<<<3, 64>>>(x, out); }
extern "C" void run_large(float* out) { store<<<1, 2048>>>(out, 0); }
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    path = tmp_path_factory.mktemp("sanitized") / "small.cu"
    path.write_text(SMALL)
    return cudabook.load(path, "emulator")


def only(found):
    assert len(found) == 1, str(found)
    return next(iter(found))


@pytest.mark.parametrize("first, index", [(1000, 1000), (997, 1000), (-2, -2)])
def test_report_names_the_tensor_and_the_index(small, first, index):
    out = torch.zeros(1000)
    with cudabook.sanitize() as found:
        small.run_store(out, first, 32)
    report = only(found)
    assert (report.kind, report.name, report.index, report.space) == ("store out of bounds", "out", index, "global")
    assert (report.block, report.thread) == (0, index - first)
    assert "out" in report.why and str(index) in report.why and "store" in report.why
    if index > 0:
        assert "1000 elements" in report.why


def test_tensor_made_inside_the_block_has_unused_memory_around_it(small):
    with cudabook.sanitize() as found:
        out = torch.zeros(10)
        small.run_store(out, 6, 5)
    assert (only(found).name, only(found).index) == ("out", 10)


def test_report_names_the_shared_variable(small):
    with cudabook.sanitize() as found:
        small.run_tile(torch.zeros(1))
    [report] = [r for r in found if r.tool == "memcheck"]
    assert (report.kind, report.name, report.index) == ("shared store out of bounds", "__shared__ tile", 160)
    assert (report.thread, report.line) == (29, 7)


def test_equal_accesses_are_one_report_with_a_count(small):
    with cudabook.sanitize() as found:
        small.run_late(torch.randn(64), torch.zeros(64))
    [race] = [r for r in found if r.kind == "read after write"]
    assert race.count == 3 * 32  # of each block's warps, the one that comes later reads what the other has written
    assert race.block == race.other_block and race.thread // 32 != race.other_thread // 32
    assert f"({race.count} times)" in str(race)


def test_reports_as_text_and_as_json(small):
    with cudabook.sanitize() as found:
        assert str(found) == "no findings" and len(found) == 0
        small.run_late(torch.randn(64), torch.zeros(64))
        with pytest.raises(cudabook.CudaError):
            small.run_store(torch.zeros(1000), 1000, 1)
    text = str(found)
    for r in found:
        assert f"{r.tool}: {r.kind}" in text and f"small.cu:{r.line} by thread {r.thread} of block {r.block}" in text
    assert "s[" not in text and "__shared__ s" in text and "(kernel late)" in text
    rows = json.loads(found.json())
    assert [(r["tool"], r["kind"], r["line"], r["name"], r["index"], r["count"]) for r in rows] == [
        (r.tool, r.kind, r.line, r.name, r.index, r.count) for r in found]
    assert {r["tool"] for r in rows} == {"memcheck", "initcheck", "racecheck"}


def test_an_exception_that_is_no_cuda_error_passes(small):
    with pytest.raises(KeyError, match="mine"), cudabook.sanitize() as found:
        small.run_late(torch.randn(64), torch.zeros(64))
        raise KeyError("mine")
    assert len(found) > 0  # what was found until then is there


def test_a_refused_launch_is_an_error_and_no_finding(small):
    with pytest.raises(cudabook.CudaError, match="block too large"), cudabook.sanitize() as found:
        small.run_large(torch.zeros(1))
    assert len(found) == 0


def test_a_fault_does_not_disturb_what_follows(built, small):
    for path in [FAULTS[0], *(p for p in FAULTS if p.parent.name in ("racecheck", "synccheck"))][::4]:
        assert len(sanitized(path)[0]) > 0
        assert len(sanitized(PLANTED / "clean" / "shuffle_reduction.cu")[0]) == 0
        out = torch.zeros(40)
        with cudabook.sanitize() as found:
            small.run_store(out, 3, 32)
        assert len(found) == 0 and out.sum() == 32
    small.run_store(out, 0, 32)  # not watched any more
    assert out.sum() == 35

def test_functions_of_a_pybind_module_are_watched_too():
    a, b = torch.randn(1001), torch.randn(1001)  # made before the block: only the call tells whose memory this is
    module = cudabook.load("vector_add", "emulator", binding="pybind")
    with cudabook.sanitize() as found:
        out = module.vector_add(a, b)
    assert len(found) == 0, found
    assert torch.equal(out, a + b)
