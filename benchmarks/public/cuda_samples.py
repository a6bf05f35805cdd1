"""NVIDIA/cuda-samples: classic parallel algorithms. Its helper headers are found by include paths."""

import torch
from cases import Case, Repository, empty, integers, random


def product():
    a, b = random(64, 96), random(96, 32, seed=1)
    return (a, b, empty(64, 32), 64, 32, 96, 32), {2: a.double() @ b.double()}


def product_16():
    a, b = random(32, 48), random(48, 64, seed=1)
    return (a, b, empty(32, 64), 32, 64, 48, 16), {2: a.double() @ b.double()}


def add():
    a, b = random(1000), random(1000, seed=1)
    return (a, b, empty(1000), 1000), {2: a.double() + b.double()}


def transpose(which: int):
    def make():
        n = 64
        x = random(n, n)
        wanted = x.double() if which < 2 else x.double().T
        if which > 5:  # these two are transposed within, or between, the tiles only
            tiles = x.double().view(2, 32, 2, 32)
            wanted = (tiles.permute(0, 3, 2, 1) if which == 6 else tiles.permute(2, 1, 0, 3)).reshape(n, n)
        return (which, empty(n, n), x, n, n), {1: wanted}

    return make


def scan(large: int, batch: int, length: int):
    def make():
        x = integers(1000, batch, length)
        return (large, empty(batch, length, dtype=torch.int32), x, batch, length), {1: (x.cumsum(1) - x).double()}

    return make


def shuffle_scan():
    x = integers(1000, 2048)
    return (x.clone(), empty(8, dtype=torch.int32), 2048), {0: x.cumsum(0).double()}


def sort(odd_even: int, batch: int, length: int):
    def make():
        key, value = integers(2**30, batch, length), torch.arange(batch * length, dtype=torch.int32).view(batch, length)
        outputs = [empty(batch, length, dtype=torch.int32) for _ in range(2)]
        order = key.argsort(1)
        wanted = {1: key.gather(1, order).double(), 2: value.gather(1, order).double()}
        return (odd_even, *outputs, key, value, batch, length), wanted

    return make


def merge_sort():
    n = 4096
    key, value = integers(2**30, n), torch.arange(n, dtype=torch.int32)
    outputs = [empty(n, dtype=torch.int32) for _ in range(4)]
    order = key.argsort()
    return (*outputs, key, value, n), {0: key[order].double(), 1: value[order].double()}


def histogram(bins: int):
    def make():
        data = integers(256, 6144).to(torch.uint8)
        wanted = torch.bincount(data.int() // (256 // bins), minlength=bins)
        return (empty(bins, dtype=torch.int32), data, 6144), {0: wanted.double()}

    return make


def convolution(columns: int):
    def make():
        height, width = 64, 128
        x, weights = random(height, width), random(17, seed=1)
        kernel = weights.double().flip(0).view(1, 1, *((17, 1) if columns else (1, 17)))
        wanted = torch.nn.functional.conv2d(x.double()[None, None], kernel, padding="same")[0, 0]
        return (columns, empty(height, width), x, weights, width, height), {1: wanted}

    return make


def scalar_products():
    a, b = random(5, 700), random(5, 700, seed=1)
    return (empty(5), a, b, 5, 700), {0: (a.double() * b.double()).sum(1)}


def hadamard(n: int) -> torch.Tensor:
    h = torch.ones(1, 1, dtype=torch.float64)
    while len(h) < n:
        h = torch.cat([torch.cat([h, h], 1), torch.cat([h, -h], 1)])
    return h


def walsh(log2: int):
    def make():
        x = random(2, 1 << log2)
        return (x, 2, log2), {0: x.double() @ hadamard(1 << log2)}

    return make


def modulate():
    a, b = random(1000), random(1000, seed=1)
    return (a, b, 1000), {0: a.double() * b.double() / 1000}


def black_scholes():
    n, rate, volatility = 500, 0.02, 0.3
    price, strike = 5 + 25 * random(n).sigmoid(), 1 + 99 * random(n, seed=1).sigmoid()
    years = 0.25 + 9.75 * random(n, seed=2).sigmoid()
    s, x, t = price.double(), strike.double(), years.double()
    d1 = ((s / x).log() + (rate + volatility**2 / 2) * t) / (volatility * t.sqrt())
    below = torch.special.ndtr
    call = s * below(d1) - x * (-rate * t).exp() * below(d1 - volatility * t.sqrt())
    args = (empty(n), empty(n), price, strike, years, rate, volatility, n)
    return args, {0: call, 1: call + x * (-rate * t).exp() - s}


def vote(every: int):
    def make():
        x = integers(2, 4, 32)
        x[1], x[2] = 0, 1
        warps = x.bool().all(1) if every else x.bool().any(1)
        return (every, x, empty(4, 32, dtype=torch.int32), 128), {2: warps[:, None].expand(4, 32).double()}

    return make


CONCEPTS = "Samples/2_Concepts_and_Techniques"
TRANSPOSES = ("copy", "copySharedMem", "transposeNaive", "transposeCoalesced", "transposeNoBankConflicts",
              "transposeDiagonal", "transposeFineGrained", "transposeCoarseGrained")
SMALL = "samples_small"
REPOSITORY = Repository("NVIDIA/cuda-samples", "c94ff366aed18c797b8a85dfaac7817b0228b420", [
    Case("vectorAdd", "Samples/0_Introduction/vectorAdd/vectorAdd.cu", "samples_add", "run", add),
    Case("MatrixMulCUDA<32>", "Samples/0_Introduction/matrixMul/matrixMul.cu", "samples_matmul", "run", product),
    Case("MatrixMulCUDA<16>", "Samples/0_Introduction/matrixMul/matrixMul.cu", "samples_matmul", "run", product_16),
    *(Case(name, "Samples/6_Performance/transpose/transpose.cu", "samples_transpose", "run", transpose(i))
      for i, name in enumerate(TRANSPOSES)),
    Case("scanExclusiveShared", f"{CONCEPTS}/scan/scan.cu", "samples_scan", "scan", scan(0, 8, 128)),
    Case("scanExclusiveShared2, uniformUpdate", f"{CONCEPTS}/scan/scan.cu", "samples_scan", "scan", scan(1, 1, 4096)),
    Case("shfl_scan_test, uniform_add", f"{CONCEPTS}/shfl_scan/shfl_scan.cu", "samples_shuffle_scan", "scan",
         shuffle_scan),
    Case("bitonicSortShared", f"{CONCEPTS}/sortingNetworks/bitonicSort.cu", "samples_sort", "sort", sort(0, 4, 512)),
    Case("bitonicSortShared1, bitonicMergeGlobal, bitonicMergeShared", f"{CONCEPTS}/sortingNetworks/bitonicSort.cu",
         "samples_sort", "sort", sort(0, 1, 4096)),
    Case("oddEvenMergeSortShared", f"{CONCEPTS}/sortingNetworks/oddEvenMergeSort.cu", "samples_sort", "sort",
         sort(1, 4, 512)),
    Case("oddEvenMergeGlobal", f"{CONCEPTS}/sortingNetworks/oddEvenMergeSort.cu", "samples_sort", "sort",
         sort(1, 1, 4096)),
    Case("mergeSortSharedKernel, generateSampleRanksKernel, mergeRanksAndIndicesKernel, mergeElementaryIntervalsKernel",
         "Samples/0_Introduction/mergeSort/mergeSort.cu", "samples_merge_sort", "sort", merge_sort),
    Case("histogram64Kernel, mergeHistogram64Kernel", f"{CONCEPTS}/histogram/histogram64.cu", "samples_histogram64",
         "histogram", histogram(64)),
    Case("histogram256Kernel, mergeHistogram256Kernel", f"{CONCEPTS}/histogram/histogram256.cu", "samples_histogram",
         "histogram", histogram(256)),
    Case("convolutionRowsKernel", f"{CONCEPTS}/convolutionSeparable/convolutionSeparable.cu", "samples_convolution",
         "convolve", convolution(0)),
    Case("convolutionColumnsKernel", f"{CONCEPTS}/convolutionSeparable/convolutionSeparable.cu", "samples_convolution",
         "convolve", convolution(1)),
    Case("scalarProdGPU", f"{CONCEPTS}/scalarProd/scalarProd_kernel.cuh", SMALL, "scalar_products", scalar_products),
    Case("fwtBatch1Kernel", "Samples/5_Domain_Specific/fastWalshTransform/fastWalshTransform_kernel.cuh", SMALL,
         "walsh", walsh(9)),
    Case("fwtBatch2Kernel", "Samples/5_Domain_Specific/fastWalshTransform/fastWalshTransform_kernel.cuh", SMALL,
         "walsh", walsh(13)),
    Case("modulateKernel", "Samples/5_Domain_Specific/fastWalshTransform/fastWalshTransform_kernel.cuh", SMALL,
         "modulate", modulate),
    Case("BlackScholesGPU", "Samples/5_Domain_Specific/BlackScholes/BlackScholes_kernel.cuh", SMALL, "black_scholes",
         black_scholes, 1e-4),
    Case("VoteAnyKernel1", "Samples/0_Introduction/simpleVoteIntrinsics/simpleVote_kernel.cuh", SMALL, "vote", vote(0)),
    Case("VoteAllKernel2", "Samples/0_Introduction/simpleVoteIntrinsics/simpleVote_kernel.cuh", SMALL, "vote", vote(1)),
])
