// nvcuda::wmma: d = alpha * a * b + beta * c with one warp, for each shape, type and layout.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;

// The matrices lie in memory by rows or by columns, ld elements apart; k is a multiple of K.
template <int M, int N, int K, typename T, typename S, typename Sum, typename A, typename B>
__global__ void product_kernel(const S* a, const S* b, const Sum* c, Sum* d, int k, int lda, int ldb, int ldc,
                               bool c_by_columns, float alpha, float beta) {
    wmma::fragment<wmma::matrix_a, M, N, K, T, A> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, B> fb;
    wmma::fragment<wmma::accumulator, M, N, K, Sum> sum, fc;
    wmma::layout_t layout = c_by_columns ? wmma::mem_col_major : wmma::mem_row_major;
    wmma::fill_fragment(sum, 0.0f);
    for (int at = 0; at < k; at += K) {
        wmma::load_matrix_sync(fa, std::is_same<A, wmma::row_major>::value ? a + at : a + at * lda, lda);
        wmma::load_matrix_sync(fb, std::is_same<B, wmma::col_major>::value ? b + at : b + at * ldb, ldb);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    wmma::load_matrix_sync(fc, c, ldc, layout);
    for (int i = 0; i < fc.num_elements; ++i)
        fc.x[i] = Sum(alpha * float(sum.x[i]) + beta * float(fc.x[i]));
    wmma::store_matrix_sync(d, fc, ldc, layout);
}

struct Call {
    int k, lda, ldb, ldc;
    bool a_by_columns, b_by_columns, c_by_columns;
    float alpha, beta;
    cudaStream_t stream;
};

template <int M, int N, int K, typename T, typename S, typename Sum>
void product(const S* a, const S* b, const Sum* c, Sum* d, Call x) {
    using wmma::col_major;
    using wmma::row_major;
    auto run = [&](auto kernel) {
        kernel<<<1, 32, 0, x.stream>>>(a, b, c, d, x.k, x.lda, x.ldb, x.ldc, x.c_by_columns, x.alpha, x.beta);
    };
    if (x.a_by_columns && x.b_by_columns) run(product_kernel<M, N, K, T, S, Sum, col_major, col_major>);
    if (x.a_by_columns && !x.b_by_columns) run(product_kernel<M, N, K, T, S, Sum, col_major, row_major>);
    if (!x.a_by_columns && x.b_by_columns) run(product_kernel<M, N, K, T, S, Sum, row_major, col_major>);
    if (!x.a_by_columns && !x.b_by_columns) run(product_kernel<M, N, K, T, S, Sum, row_major, row_major>);
}

template <typename T, typename Sum>
void product_of_shape(int m, const T* a, const T* b, const Sum* c, Sum* d, Call x) {
    if (m == 16) product<16, 16, 16, T>(a, b, c, d, x);
    if (m == 32) product<32, 8, 16, T>(a, b, c, d, x);
    if (m == 8) product<8, 32, 16, T>(a, b, c, d, x);
}

extern "C" void half_into_float(const __half* a, const __half* b, const float* c, float* d, int m, int k, int lda, int ldb,
                                int ldc, bool ca, bool cb, bool cc, float alpha, float beta, cudaStream_t stream) {
    product_of_shape(m, a, b, c, d, {k, lda, ldb, ldc, ca, cb, cc, alpha, beta, stream});
}
extern "C" void half_into_half(const __half* a, const __half* b, const __half* c, __half* d, int m, int k, int lda, int ldb,
                               int ldc, bool ca, bool cb, bool cc, float alpha, float beta, cudaStream_t stream) {
    product_of_shape(m, a, b, c, d, {k, lda, ldb, ldc, ca, cb, cc, alpha, beta, stream});
}
extern "C" void bfloat16_into_float(const __nv_bfloat16* a, const __nv_bfloat16* b, const float* c, float* d, int m, int k,
                                    int lda, int ldb, int ldc, bool ca, bool cb, bool cc, float alpha, float beta,
                                    cudaStream_t stream) {
    product_of_shape(m, a, b, c, d, {k, lda, ldb, ldc, ca, cb, cc, alpha, beta, stream});
}
extern "C" void tf32_into_float(const float* a, const float* b, const float* c, float* d, int m, int k, int lda, int ldb,
                                int ldc, bool ca, bool cb, bool cc, float alpha, float beta, cudaStream_t stream) {
    product<16, 16, 8, wmma::precision::tf32>(a, b, c, d, {k, lda, ldb, ldc, ca, cb, cc, alpha, beta, stream});
}

// What is said of fragments: elements a lane of a and b in half and in bfloat16, of an accumulator, of a in tf32.
__global__ void counts_kernel(int* out) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> half_a;
    wmma::fragment<wmma::matrix_b, 32, 8, 16, __nv_bfloat16, wmma::col_major> bfloat16_b;
    wmma::fragment<wmma::accumulator, 8, 32, 16, float> sum;
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> tf32_a;
    wmma::fill_fragment(half_a, 2.0f);
    wmma::fill_fragment(sum, 0.5f);
    for (int i = 0; i < tf32_a.num_elements; ++i) tf32_a.x[i] = wmma::__float_to_tf32(1.0001f);
    int counts[] = {half_a.num_elements, bfloat16_b.num_elements, sum.num_elements, tf32_a.num_elements};
    for (int i = 0; i < 4; ++i) out[i] = counts[i];
    out[4] = int(float(half_a.x[1]) + sum.x[3] * 2 + tf32_a.x[0]);
}
extern "C" void counts(int* out, cudaStream_t stream) { counts_kernel<<<1, 32, 0, stream>>>(out); }
