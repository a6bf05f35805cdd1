"""xlite-dev/LeetCUDA: many small kernels, called through its own launchers with a stand-in for torch::Tensor."""

import torch
from cases import Case, Repository, empty, integers, random
from torch.nn import functional as F

NOTE = "torch/extension.h is a stand-in with a tensor of our own; the launchers are the repository's."
HALF = {"dtype": torch.float16}


def mapped(which: int, function, rows: int = 6, columns: int = 64, scale: float = 2.0, **kind):
    def make():
        x = (scale * random(rows, columns)).to(**kind) if kind else scale * random(rows, columns)
        return (which, x, empty(rows, columns, **kind), rows, columns), {2: function(x.double())}

    return make


def softmax(which: int, columns: int, **kind):
    return mapped(which, lambda x: x.softmax(1), 4, columns, **kind)


def norm(wide: int, layer: bool):
    def make():
        rows, columns, g, b = 5, 128, 1.5, 0.25
        x = random(rows, columns)
        y = x.double() - (x.double().mean(1, keepdim=True) if layer else 0)
        y = g * y * (y.square().mean(1, keepdim=True) + 1e-5).rsqrt() + (b if layer else 0)
        return (wide, x, empty(rows, columns), rows, columns, g, *([b] if layer else [])), {2: y}

    return make


def rope(which: int):
    def make():
        rows, columns = 8, 128
        x = random(rows, columns)
        angle = torch.arange(rows).double()[:, None] / 10000 ** (torch.arange(0, columns, 2).double() / columns)
        pairs = torch.view_as_complex(x.double().view(rows, -1, 2)) * torch.polar(torch.ones_like(angle), angle)
        return (which, x, empty(rows, columns), rows, columns), {2: torch.view_as_real(pairs).view(rows, columns)}

    return make


def lookup(which: int):
    def make():
        index, weight = integers(10, 7), random(10, 64)
        return (which, index, weight, empty(7, 64), 7, 10, 64), {3: weight.double()[index.long()]}

    return make


def times_vector(which: int, m: int, k: int):
    def make():
        a, x = random(m, k), random(k, seed=1)
        return (which, a, x, empty(m), m, k), {3: a.double() @ x.double()}

    return make


UNARY = [("relu", F.relu), ("elu", F.elu), ("sigmoid", torch.sigmoid), ("swish", F.silu),
         ("hardswish", F.hardswish), ("hardshrink", F.hardshrink)]
SOFTMAX = [("softmax_f32", 64), ("softmax_f32x4", 256), ("safe_softmax_f32", 64), ("safe_softmax_f32x4", 256),
           ("online_safe_softmax_f32", 1024), ("online_safe_softmax_f32x4_pack", 4096)]
SOFTMAX_HALF = [("safe_softmax_f16_f32", 64), ("safe_softmax_f16x2_f32", 128), ("safe_softmax_f16x8_pack_f32", 256)]


def case(kernel: str, file: str, driver: str, function: str, make, tolerance: float = 1e-5, fault=None) -> Case:
    return Case(f"{kernel}_kernel", f"kernels/{file}.cu", driver, function, make, tolerance, fault, NOTE)


REPOSITORY = Repository("xlite-dev/LeetCUDA", "cb6a0497e829741fc5e3ad5e43a5beed0d85edcd", [
    *(case(f"{name}_f32{'x4' * wide}", f"{name}/{name}", "leetcuda_unary", "run_float", mapped(2 * i + wide, function))
      for i, (name, function) in enumerate(UNARY) for wide in (0, 1)),
    *(case(f"relu_{kind}", "relu/relu", "leetcuda_unary", "run_half", mapped(i, F.relu, **HALF), 1e-3)
      for i, kind in enumerate(("f16", "f16x2", "f16x8", "f16x8_pack"))),
    *(case(f"{name}_per_token", "softmax/softmax", "leetcuda_rows", "softmax_float", softmax(i, columns))
      for i, (name, columns) in enumerate(SOFTMAX)),
    *(case(f"{name}_per_token (H = {columns})", "softmax/softmax", "leetcuda_rows", "softmax_float",
           softmax(i, columns), fault=((line,), "32 threads read an array that has one element a warp: fewer than 32 "
                                                "where the block has less than 1024 threads."))
      for i, name, columns, line in ((4, "online_safe_softmax_f32", 64, 351),
                                     (5, "online_safe_softmax_f32x4_pack", 256, 392))),
    *(case(f"{name}_per_token", "softmax/softmax", "leetcuda_rows", "softmax_half", softmax(i, columns, **HALF), 2e-3)
      for i, (name, columns) in enumerate(SOFTMAX_HALF)),
    *(case(f"{name}_norm_f32{'x4' * wide}", f"{name}-norm/{name}_norm", "leetcuda_norm", f"{name}_norm",
           norm(wide, name == "layer")) for name in ("layer", "rms") for wide in (0, 1)),
    *(case(name, "rope/rope", "leetcuda_more", "rope", rope(i), 1e-4)
      for i, name in enumerate(("rope_f32", "rope_f32_v2", "rope_f32x4_pack"))),
    *(case(name, "embedding/embedding", "leetcuda_more", "lookup", lookup(i))
      for i, name in enumerate(("embedding_f32", "embedding_f32x4", "embedding_f32x4_pack"))),
    *(case(name, "sgemv/sgemv", "leetcuda_more", "times_vector", times_vector(i, 10, k))
      for i, (name, k) in enumerate((("sgemv_k32_f32", 64), ("sgemv_k128_f32x4", 256), ("sgemv_k16_f32", 16)))),
])
