"""Asynchronous copies: cp.async by the pipeline primitives and by cooperative groups, and copies to the host."""

from pathlib import Path

import pytest
import torch

import cudabook

SOURCE = Path(__file__).parent / "cu" / "copies.cu"


@pytest.fixture
def op(target):
    return cudabook.load(SOURCE, target)


@pytest.mark.feature("Memory", "`cp.async`: `__pipeline_memcpy_async`, `__pipeline_commit`, `__pipeline_wait_prior`")
@pytest.mark.parametrize("tiles", [1, 2, 7])
def test_pipelined_copies(op, device, tiles):
    x = torch.randn(tiles, 128, device=device)
    out = torch.zeros(128, device=device)
    op.pipelined(x, out, tiles)
    torch.testing.assert_close(out, x.sum(0))


@pytest.mark.feature("Memory", "`__pipeline_memcpy_async` that fills with zeros")
def test_missing_bytes_become_zero(op, device):
    x, out = torch.randn(64, device=device), torch.full((64,), torch.nan, device=device)
    op.padded(x, out)
    assert torch.equal(out[::2], x[::2]) and (out[1::2] == 0).all()


@pytest.mark.feature("Cooperative groups", "`memcpy_async`, `wait`")
@pytest.mark.parametrize("n, threads", [(1000, 64), (999, 32), (5, 96)])
def test_copy_of_a_group(op, device, n, threads):
    x, out = torch.randn(n, device=device), torch.zeros(n, device=device)
    op.by_group(x, out, n, threads)
    assert torch.equal(out, x.flip(0))


EARLY = """#include <cuda_pipeline.h>
__global__ void kernel(const float* in, float* out) {
    __shared__ float s[32];
    int t = threadIdx.x;
    s[t] = -1;
    __pipeline_memcpy_async(&s[t], &in[t], 4);
    __pipeline_commit();
    float early = s[t];
    __pipeline_wait_prior(0);
    out[t] = early;
    out[t + 32] = s[t];
}
extern "C" void run(const float* in, float* out) { kernel<<<1, 32>>>(in, out); }
"""


def test_data_is_not_there_before_the_wait(tmp_path):
    source = tmp_path / "early.cu"
    source.write_text(EARLY)
    op = cudabook.load(source, "emulator")
    x, out = torch.rand(32), torch.zeros(64)
    op.run(x, out)
    assert (out[:32] == -1).all() and torch.equal(out[32:], x)
    with cudabook.sanitize() as found:
        op.run(torch.rand(32), torch.zeros(64))
    [report] = found
    assert (report.tool, report.kind) == ("racecheck", "read before the wait")
    assert (report.line, report.other_line) == (8, 6)


def test_a_profile_counts_the_load_and_the_store():
    op = cudabook.load(SOURCE, "emulator")
    x, out = torch.randn(4, 128), torch.zeros(128)
    with cudabook.profile() as p:
        op.pipelined(x, out, 4)
    [launch] = p.launches
    assert launch.total("requests", "load") == 4 and launch.total("bytes", "load") == 4 * 512
    assert launch.total("requests", "copy", "shared") == 4


def test_host_memory_is_not_written_before_the_wait(tmp_path):
    source = tmp_path / "early.cu"
    source.write_text("""#include <cuda_runtime.h>
extern "C" void run(const float* x, float* out, int n) {
    float* host;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMallocHost(&host, n * sizeof(float));
    for (int i = 0; i < n; ++i) host[i] = -1;
    cudaMemcpyAsync(host, x, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
    out[0] = host[n - 1];
    cudaStreamSynchronize(stream);
    out[1] = host[n - 1];
    float pageable = -1;  // such memory is waited for
    cudaMemcpyAsync(&pageable, x, sizeof(float), cudaMemcpyDeviceToHost, stream);
    out[2] = pageable;
    cudaFreeHost(host);
    cudaStreamDestroy(stream);
}
""")
    x, out = torch.rand(1000), torch.zeros(3)
    cudabook.load(source, "emulator").run(x, out, 1000)
    assert out[0].isnan() and out[1] == x[-1] and out[2] == x[0]
