"""gau-nernst/learn-cuda: matrix products without tensor cores, sums of rows, softmax."""

import torch
from cases import Case, Repository, empty, random


def product(version: int):
    def make():
        m, n, k = 128, 128, 64
        a, b = random(m, k), random(k, n, seed=1)
        return (version, a, b, empty(m, n), m, n, k), {3: a.double() @ b.double()}

    return make


def sums(version: int):
    def make():
        m, n = 5, 1500
        x = random(m, n)
        return (version, x, torch.zeros(m), m, n, 512, 128), {2: x.double().sum(1)}

    return make


def softmax(version: int):
    def make():
        m, n = 3, 1000
        x = 2 * random(m, n)
        return (version, x, empty(m, n), empty(1024), m, n), {2: x.double().softmax(1)}

    return make


FAULTS = {
    "v4a": ((154,), "The lanes of a warp read what others store, in order by volatile only: since Volta they need not "
                    "run in step."),
    "v4b": ((161,), "All 32 lanes add in place before the __syncwarp(): lane 16 may have stored before lane 0 reads."),
    "naive": ((38,), "The next reduction stores to workspace[0] while other threads may still read the last one's "
                     "result there (line 73): a barrier is missing behind the broadcast."),
}
MATMUL, SUM, SOFTMAX = (f"{p}.cu" for p in ("02a_matmul_simt/matmul", "03_sum/sum", "04_softmax/softmax"))
REPOSITORY = Repository("gau-nernst/learn-cuda", "1454f8b71499a68eacdbf44c08e36a7003d8ab99", [
    *(Case(f"matmul_{name}_kernel", MATMUL, "learn_cuda", "product", product(i))
      for i, name in enumerate(("v1", "v2", "v3", "v4", "v5", "v6a", "v6b"))),
    *(Case(f"sum_{name}_kernel", SUM, "learn_cuda", "sums", sums(i), fault=FAULTS.get(name))
      for i, name in enumerate(("v1", "v2", "v3", "v4a", "v4b", "v4c", "v5", "v6"))),
    *(Case(f"softmax_{name}", SOFTMAX, "learn_cuda", "softmax", softmax(i), fault=FAULTS.get(name))
      for i, name in enumerate(("naive", "naive_split", "online", "online_split"))),
])
