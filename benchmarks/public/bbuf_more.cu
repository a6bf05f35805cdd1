// Launches BBuf's products of a matrix and a vector, and upsampling.
#include <cuda_runtime.h>

#define main main_of_sgemv_v0
#include "BBuf+how-to-optim-algorithm-in-cuda/cuda-kernels/gemv/sgemv_v0.cu"
#undef main
#define main main_of_sgemv_v1
#define warpReduceSum warpReduceSum_v1
#include "BBuf+how-to-optim-algorithm-in-cuda/cuda-kernels/gemv/sgemv_v1.cu"
#undef main
#undef warpReduceSum
#define main main_of_upsample
#include "BBuf+how-to-optim-algorithm-in-cuda/cuda-kernels/upsample-nearest2d/upsample_nearest_2d.cu"
#undef main
#undef N

extern "C" void times_vector(int version, float* a, float* x, float* y, int m, int n) {
    if (version == 0) Sgemv_v0<<<(m + 3) / 4, dim3(32, 4)>>>(a, x, y, m, n);
    else Sgemv_v1<<<(m + 3) / 4, dim3(32, 4)>>>(a, x, y, m, n);
}
extern "C" void upsample(float* in, float* out, int planes, int height, int width) {
    int n = planes * height * width;
    UpsampleNearest2D2XForward<float><<<(n + 255) / 256, 256>>>(n, in, height, width, out);
}
extern "C" void upsample_backward(float* dout, float* din, int planes, int height, int width) {
    int n = planes * height * width;
    UpsampleNearest2D2XBackward<float><<<(n + 255) / 256, 256>>>(n, dout, height, width, din);
}
