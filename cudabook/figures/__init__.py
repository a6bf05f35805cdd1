"""The book's figures. Each function takes data and returns a matplotlib Figure; none measures anything."""

from .access import CostTable, bank_maps, memory_levels, sectors_by_pattern, transpose_bars, version_costs
from .autograd import call_costs, difference_error, fused_bars, passes, path_of_a_call, roofline
from .diagrams import head_body_tail, includes, layers, who_computes
from .matmul import (
    error_by_k,
    matmul_ladder,
    matmul_steps,
    matmul_times,
    mma_lanes,
    operations_a_byte,
    operations_a_wavefront,
    shared_roofline,
    tile_walk,
    two_roofs,
)
from .memory import lane_map, line_bars, sectors_by_stride
from .packaging import serving, wheel
from .reductions import bandwidth_by_width, reduction, running_sums
from .speed import bandwidth_bars, clock_bars, time_against_size

__all__ = [
    "CostTable",
    "bandwidth_bars",
    "bandwidth_by_width",
    "bank_maps",
    "call_costs",
    "clock_bars",
    "difference_error",
    "error_by_k",
    "fused_bars",
    "head_body_tail",
    "includes",
    "lane_map",
    "layers",
    "line_bars",
    "matmul_ladder",
    "matmul_steps",
    "matmul_times",
    "memory_levels",
    "mma_lanes",
    "operations_a_byte",
    "operations_a_wavefront",
    "passes",
    "path_of_a_call",
    "reduction",
    "roofline",
    "running_sums",
    "sectors_by_pattern",
    "sectors_by_stride",
    "serving",
    "shared_roofline",
    "tile_walk",
    "time_against_size",
    "transpose_bars",
    "two_roofs",
    "version_costs",
    "wheel",
    "who_computes",
]
