// Launches kernels of olcf/cuda-training-series: each file has its own main() and its own constants.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <algorithm>
#include <iostream>

using namespace std;

namespace matmul {
#include "olcf+cuda-training-series/exercises/hw2/matrix_mul_shared_solution.cu"
}
namespace stencil {
#include "olcf+cuda-training-series/exercises/hw2/stencil_1d_solution.cu"
}
#undef N
#undef BLOCK_SIZE
namespace sums {
#include "olcf+cuda-training-series/exercises/hw4/matrix_sums_solution.cu"
}
namespace block_sums {
#include "olcf+cuda-training-series/exercises/hw5/matrix_sums_solution.cu"
}
namespace maximum {
#include "olcf+cuda-training-series/exercises/hw5/max_reduction_solution.cu"
}

extern "C" void product(float* a, float* b, float* c, int n) {
    matmul::mmul<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(a, b, c, n);
}
extern "C" void sum_of_neighbours(int* in, int* out, int n) { stencil::stencil_1d<<<n / 16, 16>>>(in + 3, out + 3); }
extern "C" void row_sums(float* a, float* out, int n) { sums::row_sums<<<(n + 255) / 256, 256>>>(a, out, n); }
extern "C" void column_sums(float* a, float* out, int n) { sums::column_sums<<<(n + 255) / 256, 256>>>(a, out, n); }
extern "C" void row_sums_by_block(float* a, float* out, int n) { block_sums::row_sums<<<n, 256>>>(a, out, n); }
extern "C" void largest(float* x, float* parts, float* out, int n) {
    maximum::reduce<<<4, 256>>>(x, parts, n);
    maximum::reduce<<<1, 256>>>(parts, out, 4);
}
