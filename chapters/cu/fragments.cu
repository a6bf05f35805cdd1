// What the page on matmul asks of the tensor-core instructions, one warp at a time.
#include "../../csrc/ptx.cuh"

// [lanes]
// Fragments as the lanes hold them, a block of one warp for each product.
__global__ void lanes_kernel(const uint32_t* a,  // [count, 32, 4], two halves each
                             const uint32_t* b,  // [count, 32, 2], two halves each
                             float* d) {         // [count, 32, 4]
    int lane = 32 * blockIdx.x + threadIdx.x;
    uint32_t a_reg[4], b_reg[2];
    float d_reg[4] = {};
    for (int i = 0; i < 4; ++i) a_reg[i] = a[4 * lane + i];
    for (int i = 0; i < 2; ++i) b_reg[i] = b[2 * lane + i];
    mma_m16n8k16<__half>(d_reg, a_reg, b_reg);
    for (int i = 0; i < 4; ++i) d[4 * lane + i] = d_reg[i];
}
// [/lanes]

extern "C" void lanes(const __half* a, const __half* b, float* d, int count) {
    lanes_kernel<<<count, 32>>>(reinterpret_cast<const uint32_t*>(a),
                                reinterpret_cast<const uint32_t*>(b), d);
}

// [rows]
// A warp copies 16 rows of 64 halves, and reads the first 16 x 16 as a fragment.
template <bool SWIZZLED>
__global__ void rows_kernel(const uint4* in, uint32_t* out) {
    __shared__ uint4 tile[16][8];  // chunks of 16 bytes
    auto place = [](int row, int chunk) {
        return SWIZZLED ? chunk ^ row % 8 : chunk;
    };
    for (int i = threadIdx.x; i < 128; i += 32)
        tile[i / 8][place(i / 8, i % 8)] = in[i];
    __syncwarp();
    int row = threadIdx.x % 16, chunk = threadIdx.x / 16;
    uint32_t a_reg[4];
    ldmatrix_x4(a_reg, &tile[row][place(row, chunk)]);
    for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = a_reg[i];
}
// [/rows]

extern "C" void rows(const __half* in, __half* out, bool swizzled) {
    auto kernel = swizzled ? rows_kernel<true> : rows_kernel<false>;
    kernel<<<1, 32>>>(reinterpret_cast<const uint4*>(in),
                      reinterpret_cast<uint32_t*>(out));
}
