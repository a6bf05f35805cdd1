"""The emulator's counts against Nsight Compute's, and the profile's other figures against counting by hand."""

from pathlib import Path

import pytest
import torch

import cudabook

COUNTERS = Path(__file__).parent / "cu" / "counters.cu"

# Read by Nsight Compute on an H200 (nvcc 13.0 -O3 -arch=sm_90, --clock-control none), sums over the launch:
# global load requests and sectors, global store requests and sectors, wavefronts of shared loads and stores.
HARDWARE = {
    "add": (1024, 4096, 512, 2048, 0, 0),
    "strided": (512, 16384, 512, 2048, 0, 0),
    "misaligned": (510, 2550, 510, 2040, 0, 0),
    "float4_copy": (128, 2048, 128, 2048, 0, 0),
    "transpose": (512, 2048, 512, 2048, 16384, 512),
    "transpose_padded": (512, 2048, 512, 2048, 512, 512),
    "matmul_by_column": (131072, 327680, 512, 2048, 0, 0),
    "matmul_by_row": (131072, 2162688, 512, 16384, 0, 0),
    "matmul_tiled": (4096, 16384, 512, 2048, 98304, 4096),
}
# nvcc reads four neighbours of sA's row by one 16-byte load; the source says four 4-byte loads, and g++ keeps them.
MERGED_BY_NVCC = {("matmul_tiled", "shared load wavefronts"): 131072}
NAMES = ("load requests", "load sectors", "store requests", "store sectors",
         "shared load wavefronts", "shared store wavefronts")


def aligned(n: int) -> torch.Tensor:
    """n random floats that start at a multiple of 256 bytes, as cudaMalloc's and PyTorch's GPU tensors do."""
    whole = torch.randn(n + 64)
    start = -(whole.data_ptr() // 4) % 64
    return whole[start : start + n]


@pytest.mark.parametrize("kernel", HARDWARE)
def test_counts_equal_the_hardware(kernel):
    op = cudabook.load(COUNTERS, "emulator")
    a, b, c = (aligned(16384) for _ in range(3))
    with cudabook.profile() as p:
        getattr(op, kernel)(a, b, c)
    [launch] = p.launches
    counted = (
        launch.total("requests", "load"), launch.total("sectors", "load"),
        launch.total("requests", "store"), launch.total("sectors", "store"),
        launch.total("wavefronts", "load", "shared"), launch.total("wavefronts", "store", "shared"),
    )
    for name, ours, theirs in zip(NAMES, counted, HARDWARE[kernel], strict=True):
        assert ours == MERGED_BY_NVCC.get((kernel, name), theirs), name


def profile_of(tmp_path, body: str, threads: int = 32, blocks: int = 1, shared: int = 0):
    """The launch of a kernel ``(float* g, int* i)`` with the given body, and the line of each ``// mark``."""
    path = tmp_path / "kernel.cu"
    path.write_text(f"""#include <cuda_runtime.h>
__global__ void kernel(float* g, int* i) {{
    int t = threadIdx.x;
    {body}
}}
extern "C" void run(float* g, int* i) {{ kernel<<<{blocks}, {threads}, {shared}>>>(g, i); }}
""")
    op = cudabook.load(path, "emulator")
    g, i = aligned(4096), torch.zeros(4096, dtype=torch.int32)
    with cudabook.profile() as p:
        op.run(g, i)
    marks = {line.split("// ")[1]: n for n, line in enumerate(path.read_text().splitlines(), 1) if "// " in line}
    [launch] = p.launches
    return launch, marks


def at(launch, line: int, kind: str):
    [access] = [a for a in launch.accesses if (a.line, a.kind) == (line, kind)]
    return access


def test_lanes_that_leave_a_loop_early_meet_again_behind_it(tmp_path):
    launch, mark = profile_of(tmp_path, """
    float sum = 0;
    for (int outer = 0; outer < 3; ++outer) {
        for (int k = 0; k <= t; ++k)
            sum += g[32 * k];  // inner
        g[1024 + t] = sum;  // behind
    }""")
    inner, behind = at(launch, mark["inner"], "load"), at(launch, mark["behind"], "store")
    assert (inner.requests, inner.lanes) == (3 * 32, 3 * 32 * 33 // 2)
    assert inner.sectors == 3 * 32  # all lanes read one address
    assert (behind.requests, behind.lanes_per_request, behind.sectors) == (3, 32, 12)


def test_branches_are_requests_of_their_own(tmp_path):
    launch, mark = profile_of(tmp_path, """
    if (t % 4 == 0)
        g[t] = 1;  // few
    else
        g[t] = 2;  // many
    g[t + 32] = 3;  // all""")
    lanes = [at(launch, mark[m], "store").lanes_per_request for m in ("few", "many", "all")]
    assert lanes == [8, 24, 32]


@pytest.mark.parametrize("stride, ways", [(1, 1), (2, 2), (3, 1), (4, 4), (8, 8), (16, 16), (32, 32), (33, 1)])
def test_bank_conflicts_by_stride(tmp_path, stride, ways):
    launch, mark = profile_of(tmp_path, f"""
    extern __shared__ float s[];
    s[t * {stride}] = t;  // store
    g[t] = s[0];  // broadcast""", shared=4 * 33 * 32)
    assert at(launch, mark["store"], "store").most_ways == ways
    [broadcast] = [a for a in launch.accesses if a.space == "shared" and a.kind == "load"]
    assert (broadcast.line, broadcast.wavefronts, broadcast.most_ways) == (mark["broadcast"], 1, 1)


def test_atomics_are_one_access_and_count_collisions(tmp_path):
    launch, mark = profile_of(tmp_path, """
    atomicAdd(&g[t / 8], 1.0f);  // float
    atomicAdd(i, 1);  // int""", threads=64)
    as_float, as_int = at(launch, mark["float"], "atomic"), at(launch, mark["int"], "atomic")
    assert (as_float.requests, as_float.lanes, as_float.collisions) == (2, 64, 2 * (32 - 4))
    assert (as_int.requests, as_int.lanes, as_int.collisions) == (2, 64, 2 * 31)
    assert len(launch.accesses) == 2


def test_shuffles_are_no_accesses_and_a_memset_is_of_its_line(tmp_path):
    launch, mark = profile_of(tmp_path, """
    float v = __shfl_down_sync(0xffffffffu, float(t), 1);
    g[t] = v + __ballot_sync(0xffffffffu, t > 5);  // store
    if (t == 0) memset(i, 0, 4 * int(g[40] > 9) + 64);  // set""")
    assert {(a.line, a.kind) for a in launch.accesses} == {
        (mark["store"], "store"), (mark["set"], "load"), (mark["set"], "store")}


def test_accesses_in_device_functions_are_theirs(tmp_path):
    path = tmp_path / "kernel.cu"
    path.write_text("""#include <cuda_runtime.h>
__device__ __noinline__ float far(const float* p) {
    return *p;
}
__device__ inline float near(const float* p) {
    return *p;
}
__global__ void kernel(float* g) {
    if (threadIdx.x < 16) g[threadIdx.x] = far(g + 64);
    else g[threadIdx.x] = near(g + 65);
}
extern "C" void run(float* g) { kernel<<<1, 32>>>(g); }
""")
    op = cudabook.load(path, "emulator")
    with cudabook.profile() as p:
        op.run(aligned(128))
    assert [(a.line, a.kind, a.lanes) for a in p.launches[0].accesses] == [
        (3, "load", 16), (6, "load", 16), (9, "store", 16), (10, "store", 16)]
    assert {a.file for a in p.launches[0].accesses} == {str(path)}


def test_results_are_right_while_watched():
    op = cudabook.load("vector_add", "emulator")
    a, b = torch.randn(1001), torch.randn(1001)
    with cudabook.profile() as p:
        for version in (1, 2, 3):
            assert torch.equal(op.vector_add(a, b, version), a + b)
    assert len(p.launches) == 3 and all(launch.total("requests", "load") > 0 for launch in p.launches)
    assert op.vector_add(a, b) is not None
    assert "vector_add_kernel: 4 x 1 x 1 blocks of 256 x 1 x 1 threads" in str(p)
    assert {"kernel", "line", "sectors"} <= set(p.rows()[0])


def test_a_profile_in_a_profile_is_refused():
    with cudabook.profile(), pytest.raises(RuntimeError, match="end that with-block first"), cudabook.sanitize():
        pass
