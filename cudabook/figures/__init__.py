"""The book's figures. Each function takes data and returns a matplotlib Figure; none measures anything."""

from .autograd import call_costs, difference_error, fused_bars, passes, path_of_a_call, roofline
from .diagrams import head_body_tail, includes, layers, who_computes
from .memory import lane_map, line_bars, sectors_by_stride
from .packaging import serving, wheel
from .reductions import bandwidth_by_width, reduction, running_sums
from .speed import bandwidth_bars, clock_bars, time_against_size

__all__ = [
    "bandwidth_bars",
    "bandwidth_by_width",
    "call_costs",
    "clock_bars",
    "difference_error",
    "fused_bars",
    "head_body_tail",
    "includes",
    "lane_map",
    "layers",
    "line_bars",
    "passes",
    "path_of_a_call",
    "reduction",
    "roofline",
    "running_sums",
    "sectors_by_stride",
    "serving",
    "time_against_size",
    "wheel",
    "who_computes",
]
