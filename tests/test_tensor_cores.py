"""Tensor cores: ldmatrix, mma and cp.async by csrc/ptx.cuh, and wmma. What each lane holds is PTX's, lane by lane."""

import time
from pathlib import Path

import pytest
import torch

import cudabook

PTX = Path(__file__).parent / "cu" / "tensor_cores.cu"
WMMA = Path(__file__).parent / "cu" / "wmma.cu"
LANE = torch.arange(32)
G, T = LANE // 4, LANE % 4  # PTX: groupID and threadID_in_group


@pytest.fixture
def op(target):
    return cudabook.load(PTX, target)


@pytest.fixture
def wmma(target):
    return cudabook.load(WMMA, target)


# --- ldmatrix

@pytest.mark.feature("Tensor cores", "`ldmatrix`: x2 and x4, plain and transposed")
@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("transposed", [False, True])
def test_ldmatrix_gives_each_lane_its_elements(op, device, count, transposed):
    tile = torch.arange(1000, 1000 + 32 * 8, dtype=torch.int16).view(32, 8)
    for row in (LANE, torch.randperm(32), torch.zeros(32, dtype=torch.int64)):
        out = torch.zeros(32, count, dtype=torch.int32, device=device)
        load = op.load_x2 if count == 2 else op.load_x4
        load(tile.view(torch.int32).to(device), row.int().to(device), out, transposed)
        matrices = tile[row[: 8 * count]].view(count, 8, 8)
        if transposed:
            matrices = matrices.transpose(1, 2)
        wanted = torch.stack([matrices[:, G, 2 * T], matrices[:, G, 2 * T + 1]], -1).transpose(0, 1).contiguous()
        assert torch.equal(out.cpu(), wanted.view(torch.int32).view(32, count))


# --- mma: (rows or columns, along k) of each element of each lane, as PTX ISA's formulas say, [32, elements]

def a_places(k: int, per_register: int):
    """Of a [16, k]."""
    if per_register == 1:  # tf32
        return torch.stack([G, G + 8, G, G + 8], 1), torch.stack([T, T, T + 4, T + 4], 1)
    i = torch.arange(k // 2)
    row = G[:, None] + 8 * (((i >= 2) & (i < 4)) | (i >= 6))
    return row, 2 * T[:, None] + i % 2 + 8 * (i >= 4)


def b_places(k: int, per_register: int):
    """Of b [k, 8]: along k, column."""
    if per_register == 1:
        return torch.stack([T, T + 4], 1), G[:, None].expand(32, 2)
    i = torch.arange(k // 4)
    return 2 * T[:, None] + i % 2 + 8 * (i >= 2), G[:, None].expand(32, k // 4)


D_ROW = torch.stack([G, G, G + 8, G + 8], 1)
D_COLUMN = torch.stack([2 * T, 2 * T + 1, 2 * T, 2 * T + 1], 1)

KINDS = {"k16_half": (16, torch.float16), "k16_bfloat16": (16, torch.bfloat16), "k8_half": (8, torch.float16),
         "k8_bfloat16": (8, torch.bfloat16), "k8_tf32": (8, torch.float32)}


def mma(op, device, kind: str, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    """c [n, 16, 8] + a [n, 16, k] @ b [n, k, 8]: each is taken apart into lanes and put together by the formulas."""
    k, dtype = KINDS[kind]
    per_register = 4 // dtype.itemsize

    def registers(matrix, places):
        return matrix.to(dtype)[:, *places].contiguous().view(torch.int32).to(device)

    d = c[:, D_ROW, D_COLUMN].contiguous().to(device)
    ra, rb = registers(a, a_places(k, per_register)), registers(b, b_places(k, per_register))
    getattr(op, f"mma_{kind}")(ra, rb, d, len(a))
    out = torch.full_like(c, torch.nan)
    out[:, D_ROW, D_COLUMN] = d.cpu()
    return out


@pytest.mark.feature("Tensor cores", "`mma.sync` m16n8k16 and m16n8k8 of half, bfloat16, and tf32: lane by lane")
@pytest.mark.parametrize("kind", KINDS)
def test_mma_of_one_element_shows_where_it_is(op, device, kind):
    k = KINDS[kind][0]
    counted = 1 + torch.arange(k * 8).view(1, k, 8).float()  # small enough to be exact in bfloat16
    ones = torch.eye(16 * k).view(16 * k, 16, k)
    zeros = torch.zeros(16 * k, 16, 8)
    assert torch.equal(mma(op, device, kind, ones, counted.expand(16 * k, k, 8), zeros), ones @ counted)
    counted = 1 + torch.arange(16 * k).view(1, 16, k).float()
    ones = torch.eye(k * 8).view(k * 8, k, 8)
    zeros = torch.zeros(k * 8, 16, 8)
    assert torch.equal(mma(op, device, kind, counted.expand(k * 8, 16, k), ones, zeros), counted @ ones)


@pytest.mark.feature("Tensor cores", "`mma.sync` of integers, infinities, NaN and subnormals")
@pytest.mark.parametrize("kind", KINDS)
def test_mma_of_small_integers_is_exact(op, device, kind):
    k = KINDS[kind][0]
    a, b, c = (torch.randint(-100, 100, (20, *shape)).float() for shape in ((16, k), (k, 8), (16, 8)))
    assert torch.equal(mma(op, device, kind, a, b, c), a @ b + c)


@pytest.mark.feature("Tensor cores", "`mma.sync` accumulates in float")
@pytest.mark.parametrize("kind", KINDS)
def test_mma_of_random_matrices(op, device, kind):
    k, dtype = KINDS[kind]
    a, b, c = torch.randn(50, 16, k).to(dtype), torch.randn(50, k, 8).to(dtype), torch.randn(50, 16, 8)
    if kind == "k8_tf32":  # as the tensor core reads it: without the last 13 bits
        a_read, b_read = ((x.view(torch.int32) & ~0x1FFF).view(torch.float32) for x in (a, b))
    else:
        a_read, b_read = a, b
    wanted = a_read.double() @ b_read.double() + c
    torch.testing.assert_close(mma(op, device, kind, a, b, c).double(), wanted, rtol=0, atol=1e-5)


@pytest.mark.feature("Tensor cores", "`mma.sync` of integers, infinities, NaN and subnormals")
@pytest.mark.parametrize("kind", ["k16_half", "k16_bfloat16"])
def test_mma_of_special_values(op, device, kind):
    a, b, c = torch.ones(1, 16, 16), torch.ones(1, 16, 8), torch.zeros(1, 16, 8)
    tiny = torch.tensor(2.0**-24 if kind == "k16_half" else 2.0**-130)  # subnormal in the type
    a[0, 0, 3], a[0, 1, 3], a[0, 2, 3], a[0, 4] = torch.inf, -torch.inf, torch.nan, tiny
    out = mma(op, device, kind, a, b, c)[0]
    assert (out[0] == torch.inf).all() and (out[1] == -torch.inf).all() and out[2].isnan().all()
    assert (out[3] == 16).all() and (out[4] == 16 * tiny).all()


@pytest.mark.feature("Tensor cores", "`cvt.rna.tf32.f32`")
def test_rounding_to_tf32(op, device):
    x = torch.cat([torch.randn(1000), torch.tensor([0.0, -0.0, torch.inf, -torch.inf, 1e-40, 3.4e38])])
    ties = (torch.randint(0, 254 << 10, (200,), dtype=torch.int32) << 13 | 0x1000).view(torch.float32)
    x = torch.cat([x, ties, -ties])
    out = torch.zeros(len(x), dtype=torch.int32, device=device)
    op.round_to_tf32(x.to(device), out, len(x))
    wanted = (x.view(torch.int32) + 0x1000) & ~0x1FFF  # to nearest, ties away from zero
    assert torch.equal(out.cpu() & ~0x1FFF, wanted)
    nan = torch.tensor([torch.nan], device=device)
    op.round_to_tf32(nan, out, 1)
    assert out[:1].view(torch.float32).isnan().all()


# --- cp.async, and all together

@pytest.mark.feature("Tensor cores", "`cp.async` that reads a part and fills with zeros")
@pytest.mark.parametrize("size", [4, 8, 16])
def test_copies_fill_with_zeros(op, device, size):
    x = torch.randint(1, 256, (32, size), dtype=torch.uint8)
    out = torch.zeros_like(x, device=device)
    op.copy_parts(x.to(device), out, size)
    assert torch.equal(out.cpu(), x * (torch.arange(size) < (LANE % (size + 1))[:, None]))


@pytest.mark.feature("Tensor cores", "a matmul by `cp.async`, `ldmatrix` and `mma.sync`")
@pytest.mark.parametrize("m, n, k", [(64, 64, 64), (1, 8, 8), (77, 72, 104), (130, 136, 24)])
def test_matmul(op, device, m, n, k):
    a, b = torch.randn(m, k).bfloat16(), torch.randn(k, n).bfloat16()
    c = torch.full((m, n), torch.nan, device=device)
    op.matmul(a.to(device), b.to(device), c, m, n, k)
    torch.testing.assert_close(c.cpu().double(), a.double() @ b.double(), rtol=0, atol=5e-5)


# --- wmma

SHAPES = {16: (16, 16), 32: (32, 8), 8: (8, 32)}
TYPES = {"half_into_float": (torch.float16, torch.float32), "half_into_half": (torch.float16, torch.float16),
         "bfloat16_into_float": (torch.bfloat16, torch.float32), "tf32_into_float": (torch.float32, torch.float32)}


def laid_out(matrix: torch.Tensor, by_columns: bool, padding: int) -> tuple[torch.Tensor, int]:
    """Memory that holds a matrix by rows or by columns, with unused elements at the end of each, and their distance."""
    matrix = matrix.T if by_columns else matrix
    out = torch.full((matrix.shape[0], matrix.shape[1] + padding), -99.0, dtype=matrix.dtype)
    out[:, : matrix.shape[1]] = matrix
    return out, out.shape[1]


@pytest.mark.feature("Tensor cores", "`nvcuda::wmma`: every shape of half, bfloat16 and tf32, by rows and by columns")
@pytest.mark.parametrize("name, m", [(name, m) for name in TYPES for m in SHAPES if m == 16 or name[0] != "t"])
@pytest.mark.parametrize("padding", [0, 8, 24])
def test_wmma(wmma, device, name, m, padding):
    n = SHAPES[m][1]
    dtype, sum_dtype = TYPES[name]
    exact = name == "half_into_half"  # integers, since how half's sums are rounded is left open
    for k in (16, 48):
        for columns in range(8):
            by_columns = [bool(columns >> i & 1) for i in range(3)]
            a, b = (torch.randint(-8, 9, s).to(dtype) if exact else torch.randn(s).to(dtype) for s in ((m, k), (k, n)))
            if dtype == torch.float32:
                a, b = ((x.view(torch.int32) & ~0x1FFF).view(torch.float32) for x in (a, b))
            c = torch.randint(-8, 9, (m, n)).to(sum_dtype)
            given = [laid_out(x, *how, padding) for x, how in zip((a, b, c), ([v] for v in by_columns), strict=True)]
            (ma, lda), (mb, ldb), (mc, ldc) = given
            d = mc.to(device)
            getattr(wmma, name)(ma.to(device), mb.to(device), d, d, m, k, lda, ldb, ldc, *by_columns, 0.5, -2.0)
            wanted, _ = laid_out((0.5 * (a.double() @ b.double()) - 2 * c).to(sum_dtype), by_columns[2], padding)
            torch.testing.assert_close(d.cpu(), wanted, rtol=0, atol=0 if exact else 4e-5)


@pytest.mark.feature("Tensor cores", "`nvcuda::wmma` fragments: `fill_fragment`, `num_elements`, `x`")
def test_fragments(wmma, device):
    out = torch.zeros(5, dtype=torch.int32, device=device)
    wmma.counts(out)
    assert out.tolist() == [16, 4, 8, 4, 4]


# --- what only the emulator tells

KERNEL = """#include "ptx.cuh"
#include <mma.h>
using namespace nvcuda;
__global__ void kernel(float* x) {{
    __shared__ __align__(64) __half tile[64 * 64];
    for (int i = threadIdx.x; i < 64 * 64; i += blockDim.x) tile[i] = 0;
    __syncthreads();
    uint32_t a[4] = {{}}, b[2] = {{}};
    float d[4] = {{}};
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f;
    {body}
    x[threadIdx.x] = d[0] + a[0] + f.num_elements;
}}
extern "C" void run(float* x, int threads) {{ kernel<<<1, threads>>>(x); }}
"""


def loaded(tmp_path, body: str):
    path = tmp_path / "kernel.cu"
    path.write_text(KERNEL.format(body=body))
    return cudabook.load(path, "emulator", include_paths=[cudabook.build.CSRC])


DIVERGENT = {
    "branch": ("if (threadIdx.x < 16) mma_m16n8k16<__half>(d, a, b);", 32, "by 16 of the 32 lanes.*16 have returned"),
    "return": ("if (threadIdx.x == 3) return; mma_m16n8k16<__half>(d, a, b);", 32, "31 of the 32.*1 have returned"),
    "barrier": ("if (threadIdx.x < 8) ldmatrix_x4(a, tile); else __syncthreads();", 32, "24 wait elsewhere, at .*:11"),
    "two": ("if (threadIdx.x % 2) ldmatrix_x4(a, tile); else ldmatrix_x4_trans(a, tile);", 32,
            r"lane \d+ is at ldmatrix_x4.* at .*:11"),
    "shuffle": ("if (threadIdx.x > 4) mma_m16n8k16<__half>(d, a, b); else __syncwarp();", 32, "5 wait elsewhere"),
    "half a warp": ("mma_m16n8k16<__half>(d, a, b);", 48, "16 of the 32 lanes of warp 1 of block 0: 16 have"),
    "wmma": ("if (threadIdx.x < 9) wmma::load_matrix_sync(f, tile, 64);", 32, "by 9 .*23 have returned"),
}


@pytest.mark.parametrize("case", DIVERGENT)
def test_part_of_a_warp_is_reported(tmp_path, case):
    body, threads, why = DIVERGENT[case]
    op = loaded(tmp_path, body)
    for _ in range(2):  # nothing is left of the first
        with pytest.raises(cudabook.CudaError, match=rf"divergent warp.*kernel\.cu:11 .*{why}"):
            op.run(torch.zeros(64), threads)


def test_warps_go_their_own_ways(tmp_path):
    op = loaded(tmp_path, "if (threadIdx.x < 32) mma_m16n8k16<__half>(d, a, b); else ldmatrix_x4(a, tile);")
    op.run(torch.zeros(64), 64)


ADDRESSES = {
    "ldmatrix_x4(a, tile + 4);": ("misaligned address", "the address of a row is no multiple of 16"),
    "ldmatrix_x4(a, x);": ("illegal address", "the address of a row is not in shared memory"),
    "cp_async<16>(x, x);": ("illegal address", "the target is not in shared memory"),
    "cp_async<16>(tile + 4, x);": ("misaligned address", "the target is no multiple of 16"),
    "cp_async<8>(tile, x + 1);": ("misaligned address", "the source is no multiple of 8"),
    "cp_async<8>(tile, x, 9);": ("bad copy", "9 bytes are to be read for a copy of 8"),
    "wmma::load_matrix_sync(f, tile, 60);": ("misaligned address", "60 elements is 120 bytes"),
    "wmma::load_matrix_sync(f, tile + 8, 64);": ("misaligned address", "the matrix does not start at a multiple of 32"),
}


@pytest.mark.parametrize("body", ADDRESSES)
def test_bad_operand_is_refused(tmp_path, body):
    op = loaded(tmp_path, body)
    kind, why = ADDRESSES[body]
    with pytest.raises(cudabook.CudaError, match=rf"{kind}\. .*kernel\.cu:11 in .*{why}"):
        op.run(torch.zeros(64), 32)
    with cudabook.sanitize() as found:
        op.run(torch.zeros(64), 32)
    [report] = found
    assert (report.tool, report.line) == ("memcheck", 11)


def test_a_copy_of_a_part_reads_no_more(tmp_path):
    op = cudabook.load(PTX, "emulator")
    with cudabook.sanitize() as found:
        a, b = torch.randn(3, 24).bfloat16(), torch.randn(24, 8).bfloat16()
        op.matmul(a, b, torch.zeros(3, 8), 3, 8, 24)
        for size in (4, 8, 16):
            given = torch.ones(32 * size - size + 31 % (size + 1), dtype=torch.uint8)  # ends where the last lane does
            op.copy_parts(given, torch.zeros(32 * size, dtype=torch.uint8), size)
    assert len(found) == 0, str(found)


def test_profile_counts_wavefronts_of_ldmatrix():
    op = cudabook.load(PTX, "emulator")
    lines = PTX.read_text().splitlines()
    x4, x2 = (next(n for n, line in enumerate(lines, 1) if line.endswith(f"// {mark}")) for mark in ("x4", "x2"))
    # Rows of 64 bytes: every second of a matrix starts at the same bank, 4 on 4 banks each.
    for swizzled, ways in ((False, 4), (True, 1)):
        with cudabook.profile() as p:
            op.strided_rows(torch.zeros(32, dtype=torch.int32), swizzled)
        for line, matrices in ((x4, 4), (x2, 2)):
            [access] = [a for a in p.launches[0].accesses if a.line == line]
            assert (access.kind, access.space, access.size, access.requests) == ("load", "shared", 16, 1)
            assert (access.lanes, access.most_ways) == (8 * matrices, ways)
            assert (access.wavefronts, access.ideal_wavefronts) == (ways * matrices, matrices)


def test_profile_takes_each_matrix_by_itself():
    op = cudabook.load(PTX, "emulator")
    row = torch.tensor([2 * matrix + j // 4 + 8 * (j % 4) for matrix in range(4) for j in range(8)])
    with cudabook.profile() as p:  # the rows of a matrix are on 8 of the 32 banks, each matrix's on others
        op.load_x4(torch.zeros(32, 4, dtype=torch.int32), row.int(), torch.zeros(32, 4, dtype=torch.int32), False)
    assert p.launches[0].total("wavefronts", "load", "shared") == 4 * 4


def test_profile_counts_operations_of_tensor_cores():
    op = cudabook.load(PTX, "emulator")
    a, b, c = torch.randn(64, 64).bfloat16(), torch.randn(64, 64).bfloat16(), torch.zeros(64, 64)
    with cudabook.profile() as p:
        op.matmul(a, b, c, 64, 64, 64)
    [launch] = p.launches
    assert launch.tensor_flops == 2 * 64**3 and launch.flops in (None, 2 * 64**3)
    assert f"{2 * 64**3:,} of them by tensor cores" in str(p) or launch.flops is None
    loads = [a for a in launch.accesses if (a.space, a.kind) == ("shared", "load")]
    assert loads and all(a.most_ways == 1 for a in loads)
    copies = [a for a in launch.accesses if a.size == 16 and a.kind == "copy"]
    assert sum(a.bytes for a in copies) == 2 * 64 * 64 * 2


def test_profile_and_sanitizers_see_wmma_at_its_lines():
    op = cudabook.load(WMMA, "emulator")
    a, b, c = torch.ones(16, 16).half(), torch.ones(16, 16).half(), torch.ones(16, 16)
    arguments = (a, b, c, c.clone(), 16, 16, 16, 16, 16, False, True, False, 1.0, 1.0)
    with cudabook.profile() as p:
        op.half_into_float(*arguments)
    [launch] = p.launches
    assert launch.tensor_flops == 2 * 16**3
    lines = WMMA.read_text().splitlines()
    seen = [(a.kind, a.size, a.requests, lines[a.line - 1].split("(")[0].strip()) for a in launch.accesses]
    assert {a.file for a in launch.accesses} == {str(WMMA)}
    assert seen == [("load", 4, 4, "wmma::load_matrix_sync"), ("load", 4, 4, "wmma::load_matrix_sync"),
                    ("load", 8, 4, "wmma::load_matrix_sync"), ("store", 8, 4, "wmma::store_matrix_sync")]
    with cudabook.sanitize() as found:
        op.half_into_float(*arguments)
    assert len(found) == 0, str(found)


def test_a_tile_is_quick():
    op = cudabook.load(PTX, "emulator")
    a, b, c = torch.randn(64, 64).bfloat16(), torch.randn(64, 64).bfloat16(), torch.zeros(64, 64)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        op.matmul(a, b, c, 64, 64, 64)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.05


def test_other_inline_ptx_is_still_refused(tmp_path):
    (tmp_path / "ptx.cuh").write_text((cudabook.build.CSRC / "ptx.cuh").read_text() + """
__device__ inline void fence_of_mine() { asm volatile("membar.gl;"); }
""")
    path = tmp_path / "kernel.cu"
    path.write_text('#include "ptx.cuh"\n__global__ void kernel() {}\nextern "C" void run() { kernel<<<1, 1>>>(); }\n')
    with pytest.raises(cudabook.BuildError, match=r"ptx.cuh:\d+: inline PTX \(asm\) cannot run on the emulator"):
        cudabook.load(path, "emulator")
