"""The CUDA that the emulator runs, feature by feature. Each source also runs on a GPU, so the semantics are its own."""

from itertools import product
from pathlib import Path

import pytest
import torch

import cudabook

CU = Path(__file__).parent / "cu"

# CUDA 13 calls an impossible grid or block an invalid argument (read on an H200 with CUDA 13.0); the releases before
# it had an error of its own for that. The emulator stands for CUDA 13.
IMPOSSIBLE = "cudaErrorInvalidConfiguration" if (torch.version.cuda or "13") < "13" else "cudaErrorInvalidValue"


@pytest.mark.feature("Launches", "`threadIdx`, `blockIdx`, `blockDim`, `gridDim`, `warpSize`, in three dimensions")
@pytest.mark.parametrize("grid, block", [((1, 1, 1), (1, 1, 1)), ((3, 1, 1), (33, 1, 1)), ((2, 3, 4), (5, 6, 7)),
                                         ((1, 2, 1), (1024, 1, 1)), ((2, 1, 3), (1, 1, 64))])
def test_builtin_variables(target, device, grid, block):
    op = cudabook.load(CU / "execution.cu", target)
    out = torch.full((*grid[::-1], *block[::-1], 10), -1, dtype=torch.int32, device=device)
    op.builtins(out, *grid, *block)
    got = out.cpu()
    for bz, by, bx in product(*(range(g) for g in grid[::-1])):
        threads = torch.tensor(list(product(*(range(b) for b in block[::-1])))).flip(1)
        here = got[bz, by, bx].reshape(-1, 10)
        assert torch.equal(here[:, :3], threads.int())
        assert (here[:, 3:6] == torch.tensor([bx, by, bz])).all()
    assert (got[..., 6] == block[0] * 100 + block[1] * 10 + block[2]).all()
    assert (got[..., 7] == grid[0] * 100 + grid[1] * 10 + grid[2]).all()
    assert (got[..., 8] == 32).all()


@pytest.mark.feature(
    "Launches",
    "`<<<grid, block, shared, stream>>>` of templates with deduced arguments, of function pointers, in macros",
)
def test_launch_forms(target, device):
    op = cudabook.load(CU / "execution.cu", target)
    out = torch.full((224,), torch.nan, device=device)
    op.launches(out)
    lanes = torch.arange(32.0)
    wanted = torch.cat([torch.full((32,), 1.0), lanes * 3 + 7, lanes * 5 + 7,
                        *(torch.full((32,), v) for v in (2.0, 3.0, 4.0, 5.5))])
    assert torch.equal(out.cpu(), wanted)


@pytest.mark.feature(
    "Memory",
    "`__device__` and `__constant__` variables, `cudaMemcpyToSymbol`, `cudaMemcpyFromSymbol`",
)
def test_device_symbols(target, device):
    op = cudabook.load(CU / "execution.cu", target)
    out = torch.zeros(3, device=device)
    op.symbols(out)
    assert out.tolist() == [11, 12, 13]


@pytest.mark.feature(
    "Numbers",
    "`__expf`, `__exp10f`, `__logf`, `__log2f`, `__log10f`, `__sinf`, `__cosf`, `__tanf`, `__powf`, `__frsqrt_rn`, "
    "`__frcp_rn`, `__saturatef`",
)
def test_fast_math(target, device):
    x = torch.linspace(0.1, 1.5, 64, device=device)
    out = torch.full((64, 12), torch.nan, device=device)
    cudabook.load(CU / "execution.cu", target).fast_math(x, out, 64)
    v = x.double()
    wanted = [v.exp(), 10**v, v.log(), v.log2(), v.log10(), v.sin(), v.cos(), v.tan(), v.rsqrt(), v**2.5, 1 / v,
              v.clamp(0, 1)]
    torch.testing.assert_close(out.double(), torch.stack(wanted, 1), rtol=2e-5, atol=2e-6)


@pytest.mark.feature("Atomics", "`atomicAdd` of int, float and double by many blocks at once")
@pytest.mark.parametrize("blocks, threads", [(1, 1), (7, 96), (1000, 256)])
def test_atomics_lose_nothing_between_cores(target, device, blocks, threads):
    op = cudabook.load(CU / "execution.cu", target)
    per_block = torch.zeros(blocks, dtype=torch.int32, device=device)
    total = torch.zeros(1, dtype=torch.int32, device=device)
    total_f, total_d = torch.zeros(1, device=device), torch.zeros(1, dtype=torch.float64, device=device)
    op.atomics(per_block, total, total_f, total_d, blocks, threads)
    assert (per_block == threads).all()
    assert total.item() == blocks * threads
    assert total_f.item() == blocks * threads / 2
    assert total_d.item() == blocks * threads / 4


@pytest.mark.feature("Shared memory", "`__shared__` arrays and scalars, `__syncthreads`")
@pytest.mark.parametrize("twice", [0, 1])
def test_static_shared_memory(target, device, twice):
    op = cudabook.load(CU / "shared.cu", target)
    data = torch.randn(50, 64, device=device)
    wanted = data.clone() if twice else data.flip(1)
    op.reverse_static(data, 50, twice)
    assert torch.equal(data, wanted)


@pytest.mark.feature("Shared memory", "`extern __shared__` of the size that the launch gives")
@pytest.mark.parametrize("dtype, threads", [(torch.float32, 1), (torch.float32, 33), (torch.float64, 1024)])
def test_dynamic_shared_memory(target, device, dtype, threads):
    op = cudabook.load(CU / "shared.cu", target)
    data = torch.randn(20, threads, dtype=dtype, device=device)
    wanted = data.flip(1)
    (op.reverse_dynamic_float if dtype == torch.float32 else op.reverse_dynamic_double)(data, 20, threads)
    assert torch.equal(data, wanted)


@pytest.mark.feature("Shared memory", "`extern __shared__` at file scope")
def test_dynamic_shared_memory_declared_at_file_scope(target, device):
    op = cudabook.load(CU / "shared.cu", target)
    data, out = torch.arange(256.0, device=device), torch.zeros(1, device=device)
    op.tree_sum(data, out, 256)
    assert out.item() == 255 * 128


@pytest.mark.feature(
    "Shared memory",
    "structs and two-dimensional arrays in shared memory, also in `__device__` functions",
)
def test_shared_structs_and_helpers(target, device):
    op = cudabook.load(CU / "shared.cu", target)
    data = torch.arange(64.0, device=device)
    op.mixed(data)
    assert torch.equal(data.cpu(), torch.arange(64.0).reshape(32, 2).flip(1).flatten() + 1010)


@pytest.mark.feature("Shared memory", "more than 48 KiB, by `cudaFuncAttributeMaxDynamicSharedMemorySize`")
def test_shared_memory_beyond_48_kib_needs_the_opt_in(target, device):
    op = cudabook.load(CU / "shared.cu", target)
    out = torch.zeros(1, device=device)
    with pytest.raises(cudabook.CudaError, match="cudaErrorInvalidValue"):
        op.big(out, 64 * 1024, 0)
    op.big(out, 64 * 1024, 1)
    assert out.item() == 16 * 1024 - 1
    with pytest.raises(cudabook.CudaError, match="cudaErrorInvalidValue"):
        op.big(out, 458752, 1)


@pytest.mark.feature("Shared memory", "the limit of 48 KiB on static and dynamic shared memory together")
def test_static_and_dynamic_shared_memory_share_the_48_kib(target, device):
    op = cudabook.load(CU / "shared.cu", target)
    out = torch.zeros(256, device=device)
    op.edge(out, 47 * 1024)
    assert torch.equal(out.cpu(), 256 - torch.arange(256.0))
    with pytest.raises(cudabook.CudaError, match="cudaErrorInvalidValue"):
        op.edge(out, 48 * 1024)


@pytest.mark.feature("Shared memory", "`__shared__` variables of 48 KiB in all")
def test_all_static_shared_memory_that_a_kernel_may_declare(target, device):
    op = cudabook.load(CU / "shared.cu", target)
    out, wanted = torch.zeros(64, device=device), 7 * torch.arange(4095.0, 4031.0, -1)
    op.full(out)
    assert torch.equal(out.cpu(), wanted)
    if target == "emulator":  # which keeps unused memory between the variables while sanitizing
        with cudabook.sanitize() as found:
            op.full(out.zero_())
        assert len(found) == 0, str(found)
        assert torch.equal(out, wanted)


# The limits of the CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
@pytest.mark.feature(
    "Errors and output",
    "launches beyond CUDA's limits on grid, block and shared memory fail as on a GPU",
)
@pytest.mark.parametrize("grid, block, shared", [
    ((0, 1, 1), (1, 1, 1), 0),
    ((1, 0, 1), (1, 1, 1), 0),
    ((1, 1, 1), (0, 1, 1), 0),
    ((1, 1, 1), (1500, 1, 1), 0),
    ((1, 1, 1), (32, 32, 2), 0),
    ((1, 1, 1), (1, 1, 65), 0),
    ((1, 65536, 1), (1, 1, 1), 0),
    ((1, 1, 65536), (1, 1, 1), 0),
    ((2**31, 1, 1), (1, 1, 1), 0),
    ((1, 1, 1), (1, 1, 1), 49153),
])
def test_refused_launches(target, device, grid, block, shared):
    op = cudabook.load(CU / "errors.cu", target)
    out = torch.zeros(1, dtype=torch.int32, device=device)
    error = "cudaErrorInvalidValue" if shared or target == "emulator" else IMPOSSIBLE
    with pytest.raises(cudabook.CudaError, match=error):
        op.launch(out, *grid, *block, shared)
    assert out.item() == 0
    op.launch(out, 1, 65535, 1, 1, 1, 64, 0)  # the error is not sticky, and the limit itself is allowed
    assert out.item() == 1


@pytest.mark.feature("Launches", "`__launch_bounds__`")
def test_launch_bounds_are_kept(target, device):
    op = cudabook.load(CU / "errors.cu", target)
    out = torch.zeros(1, dtype=torch.int32, device=device)
    op.launch_bounded(out, 128)
    assert out.item() == 1
    with pytest.raises(cudabook.CudaError):
        op.launch_bounded(out, 129)


@pytest.mark.feature("Errors and output", "`cudaGetLastError`, `cudaPeekAtLastError`")
def test_reading_an_error_clears_it(target, device):
    op = cudabook.load(CU / "errors.cu", target)
    codes = torch.zeros(4, dtype=torch.int32, device=device)
    op.read_twice(codes)
    code = 1 if target == "emulator" or IMPOSSIBLE == "cudaErrorInvalidValue" else 9
    assert codes.tolist() == [code, code, 0, 0]


def runtime(function, wanted, group, what):
    return pytest.param(function, wanted, marks=pytest.mark.feature(group, what), id=function)


@pytest.mark.parametrize("function, wanted", [
    runtime("memory", [0, 0, 0, 0, 64, 0, 0, 52, 0, 0, 0, 0],
            "Memory", "`cudaMalloc`, `cudaMallocHost`, `cudaMemcpy`, `cudaMemset`, `cudaFree`, `cudaFreeHost`"),
    runtime("managed", [0, 5050], "Memory", "`cudaMallocManaged`"),
    runtime("pitched", [0, 10, 12], "Memory", "`cudaMemcpy2D`"),
    runtime("streams", [0, 0, 0, 0, 0, 0, 0, 1, 400, 100],
            "Streams and devices", "`cudaStreamCreateWithFlags`, `cudaStreamSynchronize`, `cudaStreamWaitEvent`, "
            "`cudaEventRecord`, `cudaEventElapsedTime`, `cudaMemsetAsync`"),
    runtime("devices", [0, 32, 1024, 49152, 0, 65535, 101, 0],
            "Streams and devices", "`cudaGetDeviceProperties`, `cudaDeviceGetAttribute`, `cudaSetDevice`"),
])
def test_runtime_api(target, device, function, wanted):
    op = cudabook.load(CU / "api.cu", target)
    out = torch.full((12,), -1, dtype=torch.int32, device=device)
    getattr(op, function)(out)
    assert out.tolist()[: len(wanted)] == wanted


@pytest.mark.feature("Memory", "`float4`, `double2` and their like, 16 bytes an access")
def test_vector_types(target, device):
    op = cudabook.load(CU / "api.cu", target)
    data = torch.randn(256, device=device)
    out, pairs = torch.zeros_like(data), torch.zeros(128, dtype=torch.float64, device=device)
    op.vector_types(data, out, pairs, 256)
    assert torch.equal(out.reshape(-1, 4), data.reshape(-1, 4).flip(1))
    assert torch.equal(pairs.reshape(-1, 2), data.reshape(-1, 4)[:, :2].double())
