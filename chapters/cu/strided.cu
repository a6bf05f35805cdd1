// Access patterns for the profile: global memory by stride, shared memory by row
// length.
#include <cuda_runtime.h>

// [strided]
__global__ void strided_kernel(const float* x, float* out, int n, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[stride * i % n];
}
// [/strided]

extern "C" void strided(const float* x, float* out, int n, int stride,
                        cudaStream_t stream) {
    strided_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n, stride);
}

// [transpose]
template <int ROW>  // floats from one row of the tile to the next
__global__ void transpose_kernel(const float* x, float* out) {
    __shared__ float tile[32][ROW];
    tile[threadIdx.y][threadIdx.x] = x[32 * threadIdx.y + threadIdx.x];
    __syncthreads();
    out[32 * threadIdx.y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
// [/transpose]

extern "C" void transpose(const float* x, float* out, int row,
                          cudaStream_t stream) {
    auto kernel = row == 32 ? transpose_kernel<32> : transpose_kernel<33>;
    kernel<<<1, dim3(32, 32), 0, stream>>>(x, out);
}
