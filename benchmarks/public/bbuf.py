"""BBuf/how-to-optim-algorithm-in-cuda: a reduction in steps, and more."""

from cases import Case, Repository, empty, random
from torch.nn import functional as F

VERSIONS = [(0, "baseline", 256), (1, "interleaved_addressing", 256), (2, "bank_conflict_free", 256),
            (3, "idle_threads_free", 512), (8, "shfl_down_sync_pack", 2048)]
WARP = ("The last warp goes on without a barrier or __syncwarp(), by volatile only: since Volta the lanes of a warp "
        "need not run in step.")


def reduction(version: int, chunk: int):
    def make():
        n = 4096
        x = random(n)
        chunks = x.double().view(-1, chunk).sum(1)
        if version == 8:  # two blocks, in turn, of 1024 elements each
            chunks = x.double().view(-1, 2, 1024).sum((0, 2))
        return (version, x, empty(len(chunks)), n), {2: chunks}

    return make


def times_vector(version: int, n: int):
    def make():
        a, x = random(10, n), random(n, seed=1)
        return (version, a, x, empty(10), 10, n), {3: a.double() @ x.double()}

    return make


def upsample():
    x = random(3, 6, 8)
    return (x, empty(3, 12, 16), 3, 6, 8), {1: F.interpolate(x.double()[None], scale_factor=2)[0]}


def upsample_backward():
    dout = random(3, 12, 16)
    return (dout, empty(3, 6, 8), 3, 6, 8), {1: 4 * F.avg_pool2d(dout.double(), 2)}


def case(version: int, name: str, chunk: int, lines: tuple[int, ...] = ()) -> Case:
    return Case(f"reduce_v{version}", f"cuda-kernels/reduce/reduce_v{version}_{name}.cu", "bbuf_reduce", "reduce",
                reduction(version, chunk), fault=(lines, WARP) if lines else None)


REPOSITORY = Repository("BBuf/how-to-optim-algorithm-in-cuda", "10a3a8d243037e2544686eb673fda86fba23143f", [
    *(case(*v) for v in VERSIONS),
    case(4, "unroll_last_warp", 512, (10, 11, 12, 13, 14)),
    case(5, "completely_unroll", 512, (11, 12, 13, 14, 15)),
    case(6, "multi_add", 1024, (11, 12, 13, 14, 15)),
    Case("Sgemv_v0", "cuda-kernels/gemv/sgemv_v0.cu", "bbuf_more", "times_vector", times_vector(0, 64)),
    Case("Sgemv_v1", "cuda-kernels/gemv/sgemv_v1.cu", "bbuf_more", "times_vector", times_vector(1, 256)),
    Case("UpsampleNearest2D2XForward", "cuda-kernels/upsample-nearest2d/upsample_nearest_2d.cu", "bbuf_more",
         "upsample", upsample),
    Case("UpsampleNearest2D2XBackward", "cuda-kernels/upsample-nearest2d/upsample_nearest_2d.cu", "bbuf_more",
         "upsample_backward", upsample_backward),
])
