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


def test_lanes_wait_for_those_in_an_earlier_turn_of_the_loop_around(tmp_path):
    """Lane 0 is still in the second inner loop when the others are back at the first; one lane strays once."""
    launch, mark = profile_of(tmp_path, """
    float sum = 0;
    for (int outer = 0; outer < 4; ++outer) {
        for (int k = 0; k < (t ? 2 : 3); ++k)
            sum += g[32 * k + t];  // first
        if (outer == 2 && t == 7)
            sum += g[2048];  // stray
        for (int k = 0; k < (t ? 2 : 3); ++k)
            sum += g[1024 + 32 * k + t];  // second
        g[3072 + t] = sum;  // behind
    }""")
    loops = [at(launch, mark[name], "load") for name in ("first", "second")]
    assert [(a.requests, a.sectors) for a in loops] == 2 * [(4 * 3, 4 * (4 + 4 + 1))]
    assert (at(launch, mark["stray"], "load").requests, at(launch, mark["behind"], "store").requests) == (1, 4)


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


def launch_of(path, run, *args):
    op = cudabook.load(path, "emulator")
    with cudabook.profile() as p:
        getattr(op, run)(*args)
    [launch] = p.launches
    return launch


def test_operations_of_a_matmul():
    a, b, c = (aligned(128 * 128) for _ in range(3))
    launch = launch_of(COUNTERS, "matmul_tiled", a, b, c)
    assert launch.flops == 2 * 128**3 and launch.math_calls == 0
    assert launch.global_bytes == 32 * (16384 + 2048)
    assert launch.arithmetic_intensity == pytest.approx(2 * 128**3 / (32 * 18432))
    assert launch.blocks_per_sm == 2 and launch.occupancy == 1 and launch.limited_by == "threads"


@pytest.mark.parametrize("body, flops, calls", [
    ("g[t] = g[t] + 1;", 32, 0),
    ("if (t < 5) g[t] = g[t] * g[t + 1] - 3;", 10, 0),
    ("for (int k = 0; k < t; ++k) g[t] = g[t] * 1.5f + 2;", 2 * 31 * 16, 0),
    ("g[t] = sqrtf(g[t] * g[t] + 1) / 3;", 4 * 32, 0),
    ("g[t] = fmaf(g[t], 2.0f, 1.0f);", 64, 0),
    ("double d = g[t]; g[t] = float(d * d);", 32, 0),
    ("g[t] = expf(g[t]) + __logf(g[t + 32]);", 32, 64),
    ("i[t] = i[t] * 3 + 1;", 0, 0),
    ("g[t] = fmaxf(g[t], -g[t + 1]);", 0, 0),
    ("__half h = __float2half(g[t]); g[t] = __half2float(__hadd(h, __hmul(h, h)));", 64, 0),
    ("__half h = __float2half(g[t]); g[t] = __half2float(__hfma(h, h, h));", 64, 0),
    ("__half2 h = __float2half2_rn(g[t]); g[t] = __low2float(h + h);", 64, 0),
    ("__nv_bfloat16 h = __float2bfloat16(g[t]); g[t] = __bfloat162float(h - h);", 32, 0),
])
def test_operations_by_hand(tmp_path, body, flops, calls):
    path = tmp_path / "kernel.cu"
    path.write_text(f"""#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
__global__ void kernel(float* g, int* i) {{
    int t = threadIdx.x;
    {body}
}}
extern "C" void run(float* g, int* i) {{ kernel<<<1, 32>>>(g, i); }}
""")
    launch = launch_of(path, "run", torch.rand(128), torch.zeros(128, dtype=torch.int32))
    assert (launch.flops, launch.math_calls) == (flops, calls)


def test_operations_are_not_counted_where_they_cannot_be(monkeypatch, tmp_path):
    monkeypatch.setattr(cudabook.flops.platform, "machine", lambda: "riscv64")
    launch, _ = profile_of(tmp_path, "g[t] = g[t] + 1;")
    assert launch.flops is None and launch.arithmetic_intensity is None
    assert "not counted here" in str(cudabook.profiling.Profile([launch]))


@pytest.mark.parametrize("threads, shared, blocks, limit", [
    (32, 0, 32, "blocks"), (64, 0, 32, "blocks"), (128, 0, 16, "threads"), (1024, 0, 2, "threads"),
    (768, 0, 2, "threads"), (128, 16384, 13, "shared memory"), (32, 48 * 1024, 4, "shared memory"),
])
def test_occupancy_by_hand(tmp_path, threads, shared, blocks, limit):
    launch, _ = profile_of(tmp_path, "g[t] = 1;", threads=threads, shared=shared)
    assert (launch.blocks_per_sm, launch.limited_by) == (blocks, limit)
    assert launch.occupancy == blocks * threads / 2048


def test_constant_memory_serves_different_addresses_one_by_one(tmp_path):
    path = tmp_path / "kernel.cu"
    path.write_text("""#include <cuda_runtime.h>
__constant__ float weight[64], scale = 2;
__device__ float plain[64];
__global__ void kernel(float* g) {
    int t = threadIdx.x;
    g[t] = weight[3] * scale;  // uniform
    g[t] += weight[t];  // each its own
    g[t] += plain[t];
}
extern "C" void run(float* g) { kernel<<<1, 32>>>(g); }
""")
    launch = launch_of(path, "run", aligned(128))
    constant = [(a.line, a.requests, a.wavefronts, a.most_ways) for a in launch.accesses if a.space == "constant"]
    assert constant == [(6, 2, 2, 1), (7, 1, 32, 32)]
    assert launch.total("requests", "load") == 1  # plain: what was stored in g is still in a register


def test_example_is_the_first_request_of_the_first_warp(tmp_path):
    launch, mark = profile_of(tmp_path, """
    __shared__ float s[64];
    for (int k = 0; k < 3; ++k) g[2 * t + 100 * k + 500 * blockIdx.x] = 1;  // global
    if (t % 2) s[t + 4] = 1;  // shared""", blocks=5)
    as_global, as_shared = at(launch, mark["global"], "store"), at(launch, mark["shared"], "store")
    first = as_global.example[0][1]  # g is a part of a tensor
    assert as_global.name == "g" and as_global.example == [[t, first + 8 * t] for t in range(32)]
    assert first % 128 == 0
    assert as_shared.example == [[t, 4 * t + 16] for t in range(1, 32, 2)]


def test_store_of_what_a_function_returns_is_seen(tmp_path):
    path = tmp_path / "kernel.cu"
    path.write_text("""#include <cuda_fp16.h>
#include <cuda_runtime.h>
struct Pair { float a, b; };
__device__ Pair pair(float x) {
    Pair p{x, x};
    for (int k = 0; k < 20; ++k) p.a = sinf(p.a) + x, p.b += p.a * x;
    return p;
}
__device__ __half half_of(float x) {
    for (int k = 0; k < 20; ++k) x = cosf(x) * x;
    return __float2half(x);
}
__global__ void kernel(Pair* p, __half* h) {
    int t = threadIdx.x;
    p[t] = pair(t);  // struct
    h[t] = half_of(t);  // half
    h[t + 32] = half_of(t + 1);
}
extern "C" void run(float* p, __half* h) { kernel<<<1, 32>>>(reinterpret_cast<Pair*>(p), h); }
""")
    launch = launch_of(path, "run", aligned(64), torch.zeros(64, dtype=torch.float16))
    assert [(a.line, a.bytes) for a in launch.accesses if a.kind == "store"] == [(15, 256), (16, 64), (17, 64)]


def test_vector_of_constants_is_stored_in_one_piece(tmp_path):
    launch, mark = profile_of(tmp_path, """
    reinterpret_cast<float4*>(g)[t] = make_float4(0, 1, 2, 3);  // four
    reinterpret_cast<int2*>(i)[t] = make_int2(1, 1);  // two""")
    assert [(a.line, a.size, a.requests) for a in launch.accesses] == [(mark["four"], 16, 1), (mark["two"], 8, 1)]
