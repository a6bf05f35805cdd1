// ldmatrix, mma and cp.async, by csrc/ptx.cuh.
#include "../../csrc/ptx.cuh"

#include <cuda_runtime.h>

using bf16 = __nv_bfloat16;

// Every register of every lane after a load of matrices that lie in `tile` [32][8], each lane giving the row of `row`.
template <int COUNT, typename Load>
__device__ void dump(const int* tile, const int* row, int* out, Load load) {
    __shared__ __align__(16) int rows[32][4];
    int lane = threadIdx.x;
    for (int i = 0; i < 4; ++i) rows[lane][i] = tile[4 * lane + i];
    __syncthreads();
    uint32_t r[COUNT];
    load(r, rows[row[lane]]);
    for (int i = 0; i < COUNT; ++i) out[COUNT * lane + i] = int(r[i]);
}

__global__ void x4_kernel(const int* tile, const int* row, int* out, bool transposed) {
    if (transposed) dump<4>(tile, row, out, [](uint32_t(&r)[4], const void* p) { ldmatrix_x4_trans(r, p); });
    else dump<4>(tile, row, out, [](uint32_t(&r)[4], const void* p) { ldmatrix_x4(r, p); });
}
__global__ void x2_kernel(const int* tile, const int* row, int* out, bool transposed) {
    if (transposed) dump<2>(tile, row, out, [](uint32_t(&r)[2], const void* p) { ldmatrix_x2_trans(r, p); });
    else dump<2>(tile, row, out, [](uint32_t(&r)[2], const void* p) { ldmatrix_x2(r, p); });
}

extern "C" void load_x4(const int* tile, const int* row, int* out, bool transposed, cudaStream_t stream) {
    x4_kernel<<<1, 32, 0, stream>>>(tile, row, out, transposed);
}
extern "C" void load_x2(const int* tile, const int* row, int* out, bool transposed, cudaStream_t stream) {
    x2_kernel<<<1, 32, 0, stream>>>(tile, row, out, transposed);
}

// One mma a block; a, b and d hold each lane's registers.
template <int A, int B, typename Multiply>
__device__ void multiply(const int* a, const int* b, float* d, Multiply mma) {
    int thread = blockIdx.x * 32 + threadIdx.x;
    uint32_t ra[A], rb[B];
    float rd[4];
    for (int i = 0; i < A; ++i) ra[i] = uint32_t(a[A * thread + i]);
    for (int i = 0; i < B; ++i) rb[i] = uint32_t(b[B * thread + i]);
    for (int i = 0; i < 4; ++i) rd[i] = d[4 * thread + i];
    mma(rd, ra, rb);
    for (int i = 0; i < 4; ++i) d[4 * thread + i] = rd[i];
}

template <typename T>
__global__ void k16_kernel(const int* a, const int* b, float* d) {
    multiply<4, 2>(a, b, d, [](float(&d)[4], const uint32_t(&a)[4], const uint32_t(&b)[2]) { mma_m16n8k16<T>(d, a, b); });
}
template <typename T>
__global__ void k8_kernel(const int* a, const int* b, float* d) {
    multiply<2, 1>(a, b, d, [](float(&d)[4], const uint32_t(&a)[2], const uint32_t(&b)[1]) { mma_m16n8k8<T>(d, a, b); });
}
__global__ void tf32_kernel(const int* a, const int* b, float* d) {
    multiply<4, 2>(a, b, d, [](float(&d)[4], const uint32_t(&a)[4], const uint32_t(&b)[2]) { mma_m16n8k8_tf32(d, a, b); });
}

extern "C" void mma_k16_half(const int* a, const int* b, float* d, int count, cudaStream_t stream) {
    k16_kernel<__half><<<count, 32, 0, stream>>>(a, b, d);
}
extern "C" void mma_k16_bfloat16(const int* a, const int* b, float* d, int count, cudaStream_t stream) {
    k16_kernel<bf16><<<count, 32, 0, stream>>>(a, b, d);
}
extern "C" void mma_k8_half(const int* a, const int* b, float* d, int count, cudaStream_t stream) {
    k8_kernel<__half><<<count, 32, 0, stream>>>(a, b, d);
}
extern "C" void mma_k8_bfloat16(const int* a, const int* b, float* d, int count, cudaStream_t stream) {
    k8_kernel<bf16><<<count, 32, 0, stream>>>(a, b, d);
}
extern "C" void mma_k8_tf32(const int* a, const int* b, float* d, int count, cudaStream_t stream) {
    tf32_kernel<<<count, 32, 0, stream>>>(a, b, d);
}

__global__ void round_kernel(const float* x, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = int(to_tf32(x[i]));
}
extern "C" void round_to_tf32(const float* x, int* out, int n, cudaStream_t stream) {
    round_kernel<<<(n + 127) / 128, 128, 0, stream>>>(x, out, n);
}

// Lane l copies the first l % (BYTES + 1) of its BYTES bytes.
template <int BYTES>
__global__ void part_kernel(const unsigned char* in, unsigned char* out) {
    __shared__ __align__(16) unsigned char s[32 * BYTES];
    int lane = threadIdx.x;
    for (int i = 0; i < BYTES; ++i) s[BYTES * lane + i] = 0xaa;
    __syncthreads();
    cp_async<BYTES>(s + BYTES * lane, in + BYTES * lane, lane % (BYTES + 1));
    cp_async_commit();
    cp_async_wait<0>();
    for (int i = 0; i < BYTES; ++i) out[BYTES * lane + i] = s[BYTES * lane + i];
}
extern "C" void copy_parts(const uint8_t* in, uint8_t* out, int bytes, cudaStream_t stream) {
    if (bytes == 4) part_kernel<4><<<1, 32, 0, stream>>>(in, out);
    if (bytes == 8) part_kernel<8><<<1, 32, 0, stream>>>(in, out);
    if (bytes == 16) part_kernel<16><<<1, 32, 0, stream>>>(in, out);
}

// c[m][n] = a[m][k] * b[k][n]: 64 x 64 elements of c a block, 16 rows a warp; two stages of 32 along k. Rows of shared
// memory are 8 or 4 chunks of 16 bytes; a row's chunks are permuted, so that no 8 rows of one column share a bank.
constexpr int TILE = 64, DEPTH = 32;
__device__ int place_a(int row, int chunk) { return row * DEPTH + (chunk ^ row / 2 % 4) * 8; }
__device__ int place_b(int row, int chunk) { return row * TILE + (chunk ^ row % 8) * 8; }

__global__ void matmul_kernel(const bf16* a, const bf16* b, float* c, int m, int n, int k) {
    __shared__ __align__(16) bf16 sa[2][TILE * DEPTH], sb[2][DEPTH * TILE];
    int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
    int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
    auto fetch = [&](int stage, int k0) {
        for (int i = thread; i < TILE * DEPTH / 8; i += 128) {
            int row = i / 4, chunk = i % 4, at = k0 + 8 * chunk;
            bool inside = row0 + row < m && at < k;
            cp_async<16>(&sa[stage][place_a(row, chunk)], inside ? a + (row0 + row) * k + at : a, inside ? 16 : 0);
            int below = i / 8, right = i % 8, column = column0 + 8 * right;
            inside = k0 + below < k && column < n;
            cp_async<16>(&sb[stage][place_b(below, right)], inside ? b + (k0 + below) * n + column : b, inside ? 16 : 0);
        }
        cp_async_commit();
    };
    float sum[8][4] = {};
    fetch(0, 0);
    for (int k0 = 0, stage = 0; k0 < k; k0 += DEPTH, stage ^= 1) {
        if (k0 + DEPTH < k) fetch(stage ^ 1, k0 + DEPTH);
        else cp_async_commit();
        cp_async_wait<1>();
        __syncthreads();
        for (int kk = 0; kk < DEPTH; kk += 16) {
            uint32_t fa[4];
            ldmatrix_x4(fa, &sa[stage][place_a(16 * warp + lane % 16, kk / 8 + lane / 16)]);
            for (int j = 0; j < 8; ++j) {
                uint32_t fb[2];
                ldmatrix_x2_trans(fb, &sb[stage][place_b(kk + lane % 16, j)]);
                mma_m16n8k16<bf16>(sum[j], fa, fb);
            }
        }
        __syncthreads();
    }
    for (int j = 0; j < 8; ++j)
        for (int i = 0; i < 4; ++i) {
            int row = row0 + 16 * warp + lane / 4 + 8 * (i / 2), column = column0 + 8 * j + lane % 4 * 2 + i % 2;
            if (row < m && column < n) c[row * n + column] = sum[j][i];
        }
}
extern "C" void matmul(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k,
                       cudaStream_t stream) {
    matmul_kernel<<<dim3((n + TILE - 1) / TILE, (m + TILE - 1) / TILE), 128, 0, stream>>>(a, b, c, m, n, k);
}

// Four matrices from a tile with rows of 64 bytes, side by side: as they are, or with permuted chunks.
template <bool SWIZZLED>
__global__ void rows_of_64_bytes(int* out) {
    __shared__ __align__(16) int tile[32][16];
    int lane = threadIdx.x;
    for (int i = 0; i < 16; ++i) tile[i][lane % 16] = tile[16 + i][lane % 16] = i;
    __syncthreads();
    uint32_t r[4];
    ldmatrix_x4(r, &tile[lane][SWIZZLED ? 4 * (lane / 2 % 4) : 0]);  // x4
    uint32_t q[2];
    ldmatrix_x2(q, &tile[lane % 16][SWIZZLED ? 4 * (lane / 2 % 4) : 0]);  // x2
    out[lane] = int(r[0] + r[1] + r[2] + r[3] + q[0] + q[1]);
}
extern "C" void strided_rows(int* out, bool swizzled, cudaStream_t stream) {
    if (swizzled) rows_of_64_bytes<true><<<1, 32, 0, stream>>>(out);
    else rows_of_64_bytes<false><<<1, 32, 0, stream>>>(out);
}
