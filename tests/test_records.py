"""Recorded figures: what is in them, which one a page takes, and that an old one says so."""

import json
import math
import warnings

import pytest
import torch

import cudabook
from cudabook import bench, build, cuda, records

FILES = sorted((build.ROOT / "records").glob("*/*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_record_is_complete(path):
    record = records._read(path)
    needs = {"compiler"} if record.stamp["gpu"] == "emulator" else {"driver", "cuda", "nvcc"}
    assert {"gpu", "torch", "date", *needs} <= set(record.stamp)
    assert all(record.stamp.values()) and path.parent.name == record.stamp["gpu"].replace(" ", "_")
    assert record.rows
    for row in (r for r in record.rows if "ms" in r):
        assert 0 < row["ms_low"] <= row["ms"] <= row["ms_high"] and math.isfinite(row["ms_high"])
    if record.stale:
        warnings.warn(f"{path.parent.name}/{path.name}: the sources have changed since {record.stamp['date']}: "
                      "measure again on that GPU (CONTRIBUTING.md says how)", stacklevel=1)


def test_public_kernels_run_unmodified():
    record = records._read(build.ROOT / "records" / "emulator" / "public_kernels.json")
    right = record.select(outcome="right")
    assert all(r["built"] and r["right"] and not r["reports"] and r["error"] < 0.02 for r in right)
    assert len({(r["repository"], r["file"], r["kernel"]) for r in right}) >= 30
    assert len({r["repository"] for r in right}) >= 5
    others = [r for r in record.rows if r["outcome"] != "right"]
    assert all(r["outcome"] == "true report" and r["reports"] and r["note"] for r in others)


def test_vector_add_is_as_fast_as_the_library():
    record = records._read(build.ROOT / "records" / "NVIDIA_H200" / "vector_add.json")
    rate = {r["version"]: r["gb_per_s"] for r in record.select(experiment="bandwidth", dtype="float32", n=2**28)}
    assert rate["v3"] >= 0.98 * rate["torch.add"]


@pytest.fixture
def own_records(tmp_path, monkeypatch):
    """Two records of vector_add, as if from two GPUs; no GPU is here."""
    monkeypatch.setenv("CUDABOOK_RECORDS", str(tmp_path))
    monkeypatch.setattr(cuda, "problem", lambda: "no GPU is visible")
    for gpu, date in (("Old GPU", "2026-01-01"), ("New GPU", "2026-02-01")):
        stamp = {"gpu": gpu, "torch": "2.11.0", "cuda": "13.0", "date": date}
        rows = [{"experiment": "x", "n": 1}, {"experiment": "x", "n": 2}, {"experiment": "y", "n": 1}]
        records.write(records.Record("vector_add", rows, stamp, records.sources_digest("vector_add")))
    return tmp_path


def test_the_newest_record_is_taken_and_labelled(own_records):
    record = cudabook.record("vector_add")
    assert record.label == "New GPU, recorded 2026-02-01, torch 2.11.0, CUDA 13.0"
    assert record.select(experiment="x") == record.rows[:2] and record.select(experiment="x", n=2) == record.rows[1:2]


def test_a_record_of_other_sources_says_so(own_records):
    path = own_records / "New_GPU" / "vector_add.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"sources": "0" * 16}))
    record = cudabook.record("vector_add")
    assert record.stale and record.label.endswith("the sources have changed since")


def test_no_record_is_an_error_that_says_what_to_do(own_records):
    with pytest.raises(FileNotFoundError, match="no record of 'matmul'"):
        cudabook.record("matmul")


def test_nothing_is_measured_without_a_gpu(own_records):
    with pytest.raises(cudabook.TargetError, match="cannot be measured: no GPU is visible"):
        records.measure("vector_add")


@pytest.fixture
def emulated_gpu(own_records, monkeypatch):
    """The emulator in place of a GPU, and every call timed at a millisecond."""
    emulated = build.load("bias_gelu_residual", target="emulator")
    benchmark = records.benchmark("bias_gelu_residual")
    monkeypatch.setattr(cuda, "problem", lambda: None)
    monkeypatch.setattr(build, "load", lambda *args, **kwargs: emulated)
    monkeypatch.setattr(records, "stamp", lambda: {"gpu": "No GPU", "date": "2026-03-01"})
    monkeypatch.setattr(records, "benchmark", lambda name: benchmark)
    monkeypatch.setattr(bench, "compare", lambda calls, repeats: {n: (c(), bench.Timing.of([1.0]))[1]
                                                                  for n, c in calls.items()})
    monkeypatch.setattr(bench, "_copy", lambda nbytes: lambda: None)
    monkeypatch.setattr(bench, "_sm_clock_mhz", lambda: 1000)
    monkeypatch.setattr(bench, "_peak_bytes_per_s", lambda: 1e12)
    monkeypatch.setattr(bench, "_peak_flop_per_s", lambda dtype: 1e12)
    monkeypatch.setattr(bench, "back_to_back", lambda call: (call(), bench.Timing.of([1.0]))[1])
    monkeypatch.setattr(benchmark, "captured", lambda call: call)
    monkeypatch.setattr(torch, "compile", lambda function, **options: function)
    monkeypatch.setattr(benchmark, "MAIN", (8, 16))
    monkeypatch.setattr(benchmark, "OTHER_SIZES", [(3, 5)])
    return emulated


def test_bias_gelu_residual_is_measured(emulated_gpu):
    record = records._read(records.write(records.measure("bias_gelu_residual")))
    assert not record.stale
    versions = {e: [r["version"] for r in record.select(experiment=e, dtype="bfloat16", n=16, approximate="tanh")]
                for e in ("forward", "backward", "training step")}
    assert versions == {"forward": ["v1", "v2", "eager", "torch.compile", "copy"],
                        "backward": ["v1", "v2", "v3", "eager", "torch.compile", "copy"],
                        "training step": ["v3", "eager", "torch.compile", "copy"]}
    assert [r["version"] for r in record.select(experiment="small step")] == [
        "eager", "operator", "Function over pybind11", "reduce-overhead", "graph replay"]
    [row] = record.select(experiment="backward", dtype="bfloat16", n=16, approximate="none", version="v3")
    assert row["gb_per_s"] == 3 * 8 * 16 * 2 / 1e6  # three passes of 8 x 16 bfloat16 in a millisecond


def test_a_wrong_result_is_not_measured(emulated_gpu):
    class Wrong:
        device = "cpu"
        bias_gelu_residual = emulated_gpu.bias_gelu_residual

        def bias_gelu_residual_backward(self, *args):
            dx, dbias = emulated_gpu.bias_gelu_residual_backward(*args)
            return dx, dbias * 1.1

    with pytest.raises(AssertionError, match="backward, v1: off by"):
        records.benchmark("bias_gelu_residual").measure(Wrong())


def test_banner_names_the_target(capsys, monkeypatch):
    monkeypatch.setenv("CUDABOOK_TARGET", "emulator")
    cudabook.banner()
    assert "This page ran on the emulator" in capsys.readouterr().out
