"""siboehm/SGEMM_CUDA: one matrix product, in eleven steps."""

from cases import Case, Repository, random


def product(m: int, n: int, k: int):
    def make():
        a, b, c = random(m, k), random(k, n, seed=1), random(m, n, seed=2)
        return (a, b, c, m, n, k, 0.5, 3.0), {2: 0.5 * a.double() @ b.double() + 3.0 * c.double()}

    return make


KERNELS = [
    # Sizes that are no multiple of a tile where the kernel allows it. The others have no bounds checks.
    ("naive", "1_naive", "sgemm_naive", (70, 45, 33)),
    ("coalesced", "2_kernel_global_mem_coalesce", "sgemm_global_mem_coalesce", (70, 45, 33)),
    ("shared_blocks", "3_kernel_shared_mem_blocking", "sgemm_shared_mem_block", (64, 96, 64)),
    ("tiles_1d", "4_kernel_1D_blocktiling", "sgemm1DBlocktiling", (64, 128, 40)),
    ("tiles_2d", "5_kernel_2D_blocktiling", "sgemm2DBlocktiling", (128, 64, 40)),
    ("vectorized", "6_kernel_vectorize", "sgemmVectorize", (128, 256, 24)),
    ("no_conflicts", "7_kernel_resolve_bank_conflicts", "sgemmResolveBankConflicts", (128, 256, 24)),
    ("extra_column", "8_kernel_bank_extra_col", "sgemmResolveBankExtraCol", (128, 256, 24)),
    ("autotuned", "9_kernel_autotuned", "sgemmAutotuned", (128, 128, 48)),
    ("warp_tiles", "10_kernel_warptiling", "sgemmWarptiling", (128, 128, 48)),
]
REPOSITORY = Repository("siboehm/SGEMM_CUDA", "60cba6f9b20a198116c76f18de8047f44df8c8b8", [
    Case(kernel, f"src/kernels/{file}.cuh", "sgemm", function, product(*sizes))
    for function, file, kernel, sizes in KERNELS
] + [
    Case("sgemmDoubleBuffering", "src/kernels/11_kernel_double_buffering.cuh", "sgemm", "double_buffered",
         product(128, 256, 64),
         fault=((148,), "The two halves of the block wait at different __syncthreads(), lines 148 and 172 in the "
                        "branches of one if: undefined by the programming guide, though hardware counts them as one.")),
    Case("sgemmVectorize (small)", "src/kernels/6_kernel_vectorize.cuh", "sgemm", "vectorized_small",
         product(64, 128, 40),
         fault=((66, 69), "Launched as runner.cu does where a side is below 128: 64 threads load one float4 each, 256 "
                          "of the 512 elements of a tile; the rest of As and Bs is never written.")),
])
