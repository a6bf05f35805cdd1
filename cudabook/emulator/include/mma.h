// nvcuda::wmma: matrices as fragments that the lanes of a warp hold together. CUDA leaves open which lane has which
// element; here it is as PTX lays out mma.m16n8k16's and mma.m16n8k8's, two of which make one mma_sync. Of the shape
// 8x32x16 the transposed product is computed. Loads and stores are as that layout makes them: two elements that lie
// side by side are one access, others one each; a GPU may load another way (by ldmatrix), so that requests and
// wavefronts of these lines can differ from it.
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cudabook/tensor.h"
#include "cudabook/warp.h"

#define CUDABOOK_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

namespace nvcuda::wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}

// Shapes and types that are not defined below do not run on the emulator: build.py says so.
template <typename Use, int m, int n, int k, typename T, typename Layout = void>
class fragment;

}  // namespace nvcuda::wmma

namespace cudabook {

// `held` elements a lane; of half's a and b a GPU holds 16, some of them twice.
template <class Element, class Stored, int held, int different>
struct Fragment {
    typedef Element element_type;
    typedef Stored storage_element_type;
    static constexpr int num_elements = held, num_storage_elements = held, distinct_elements = different;
    alignas(8) Stored x[held];
};

// Where a lane's elements are. The tall factor is mma's a (16 rows a tile), the narrow one its b (8 columns a tile);
// `outer` counts their rows or columns, `inner` along k.
struct Place {
    unsigned outer, inner;
};
template <bool tall, int element_bytes>
Place place_in_factor(unsigned lane, unsigned i) {
    unsigned g = lane / 4, t = lane % 4;
    if constexpr (element_bytes == 4) {
        if constexpr (tall) return {g + 8 * (i % 2), t + 4 * (i / 2)};
        else return {8 * (i / 2) + g, t + 4 * (i % 2)};
    } else {
        if constexpr (tall) return {16 * (i / 8) + g + 8 * (i / 2 % 2), 2 * t + i % 2 + 8 * (i / 4 % 2)};
        else return {8 * (i / 4) + g, 2 * t + i % 2 + 8 * (i / 2 % 2)};
    }
}
// In the product of the tall and the narrow factor: its row and its column.
template <bool wide>
Place place_in_product(unsigned lane, unsigned i) {
    unsigned tile = i / 4, row = lane / 4 + 8 * (i / 2 % 2), column = lane % 4 * 2 + i % 2;
    if constexpr (wide) return {row, column + 8 * tile};
    else return {row + 16 * tile, column};
}

// Copies n elements between a matrix and a fragment, two at a time where they are neighbours.
template <bool to_matrix, bool pairs, class T, class Matrix, class At>
CUDABOOK_INLINE void move_elements(T* x, Matrix* matrix, int n, At at) {
    typedef std::conditional_t<sizeof(T) == 2, uint32_t, uint64_t> Pair;
    for (int i = 0; i < n; i += pairs ? 2 : 1) {
        auto* p = matrix + at(i);
        if constexpr (pairs && to_matrix) *reinterpret_cast<Pair*>(p) = *reinterpret_cast<const Pair*>(x + i);
        else if constexpr (pairs) *reinterpret_cast<Pair*>(x + i) = *reinterpret_cast<const Pair*>(p);
        else if constexpr (to_matrix) *p = x[i];
        else x[i] = *p;
    }
}

template <bool tall, bool inner_is_contiguous, class F>
CUDABOOK_INLINE void load_factor(F& f, const typename F::storage_element_type* matrix, unsigned ldm,
                                 const Instruction& where) {
    typedef typename F::storage_element_type T;
    matrix_access(matrix, ldm, sizeof(T), where);
    unsigned me = lane();
    constexpr int n = F::distinct_elements;
    move_elements<false, inner_is_contiguous && sizeof(T) == 2>(f.x, matrix, n, [&](int i) {
        Place at = place_in_factor<tall, sizeof(T)>(me, i);
        return inner_is_contiguous ? size_t(at.outer) * ldm + at.inner : size_t(at.inner) * ldm + at.outer;
    });
    for (int i = n; i < F::num_elements; ++i) f.x[i] = f.x[i % n];
}

// m is 8: the fragment is of the transposed product.
template <bool store, int m, int n, class T, class Matrix>
CUDABOOK_INLINE void move_product(T* x, Matrix* matrix, unsigned ldm, nvcuda::wmma::layout_t layout,
                                  const Instruction& where) {
    matrix_access(matrix, ldm, sizeof(T), where);
    unsigned me = lane();
    auto along_row = [&](int i) {
        Place at = place_in_product<n == 16>(me, i);
        return size_t(at.outer) * ldm + at.inner;
    };
    auto along_column = [&](int i) {
        Place at = place_in_product<n == 16>(me, i);
        return size_t(at.inner) * ldm + at.outer;
    };
    if ((layout == nvcuda::wmma::mem_row_major) == (m != 8)) move_elements<store, true>(x, matrix, 8, along_row);
    else move_elements<store, false>(x, matrix, 8, along_column);
}

template <class T>
constexpr Operand operand = sizeof(T) == 4                ? Operand::tf32
                            : std::is_same_v<T, ::__half> ? Operand::half
                                                          : Operand::bfloat16;

template <class Tall, class Narrow, class D, class C>
CUDABOOK_INLINE void multiply_tiles(D* d, const Tall& tall, const Narrow& narrow, const C* c, const Instruction& at) {
    typedef typename Tall::storage_element_type T;
    constexpr int k = sizeof(T) == 4 ? 8 : 16, tall_tile = sizeof(T) == 4 ? 4 : 8, narrow_tile = tall_tile / 2;
    static_assert(std::is_same_v<T, ::__half> || (std::is_same_v<C, float> && std::is_same_v<D, float>),
                  "only half's products can be accumulated in half");
    for (int tile = 0; tile < 2; ++tile) {
        bool many_rows = Tall::distinct_elements > tall_tile;
        const T* a = tall.x + (many_rows ? tile * tall_tile : 0);
        const T* b = narrow.x + (many_rows ? 0 : tile * narrow_tile);
        float sum[4];
        for (int i = 0; i < 4; ++i) sum[i] = float(c[4 * tile + i]);
        mma(sum, reinterpret_cast<const uint32_t*>(a), reinterpret_cast<const uint32_t*>(b), operand<T>, k, at);
        for (int i = 0; i < 4; ++i) d[4 * tile + i] = D(sum[i]);
    }
}

}  // namespace cudabook

namespace nvcuda::wmma {

#define CUDABOOK_FACTOR(use, m, n, k, T, Stored, held, different)                                          \
    template <>                                                                                            \
    class fragment<use, m, n, k, T, row_major> : public cudabook::Fragment<T, Stored, held, different> {}; \
    template <>                                                                                            \
    class fragment<use, m, n, k, T, col_major> : public cudabook::Fragment<T, Stored, held, different> {};
#define CUDABOOK_PRODUCT(m, n, k, T) \
    template <>                      \
    class fragment<accumulator, m, n, k, T> : public cudabook::Fragment<T, T, 8, 8> {};
#define CUDABOOK_SHAPE(m, n)                                                        \
    CUDABOOK_FACTOR(matrix_a, m, n, 16, __half, __half, 16, m / 2)                  \
    CUDABOOK_FACTOR(matrix_b, m, n, 16, __half, __half, 16, n / 2)                  \
    CUDABOOK_FACTOR(matrix_a, m, n, 16, __nv_bfloat16, __nv_bfloat16, m / 2, m / 2) \
    CUDABOOK_FACTOR(matrix_b, m, n, 16, __nv_bfloat16, __nv_bfloat16, n / 2, n / 2) \
    CUDABOOK_PRODUCT(m, n, 16, float)                                               \
    CUDABOOK_PRODUCT(m, n, 16, __half)
CUDABOOK_SHAPE(16, 16)
CUDABOOK_SHAPE(32, 8)
CUDABOOK_SHAPE(8, 32)
CUDABOOK_FACTOR(matrix_a, 16, 16, 8, precision::tf32, float, 4, 4)
CUDABOOK_FACTOR(matrix_b, 16, 16, 8, precision::tf32, float, 4, 4)
CUDABOOK_PRODUCT(16, 16, 8, float)
#undef CUDABOOK_SHAPE
#undef CUDABOOK_FACTOR
#undef CUDABOOK_PRODUCT

template <class Element, class Stored, int held, int different>
void fill_fragment(cudabook::Fragment<Element, Stored, held, different>& f,
                   const typename cudabook::Fragment<Element, Stored, held, different>::storage_element_type& v) {
    for (int i = 0; i < held; ++i) f.x[i] = v;
}

template <int m, int n, int k, class T, class Layout>
CUDABOOK_INLINE void load_matrix_sync(
    fragment<matrix_a, m, n, k, T, Layout>& f,
    const typename fragment<matrix_a, m, n, k, T, Layout>::storage_element_type* matrix, unsigned ldm, CUDABOOK_HERE) {
    cudabook::load_factor<m != 8, std::is_same_v<Layout, row_major>>(f, matrix, ldm, {"load_matrix_sync", file, line});
}
template <int m, int n, int k, class T, class Layout>
CUDABOOK_INLINE void load_matrix_sync(
    fragment<matrix_b, m, n, k, T, Layout>& f,
    const typename fragment<matrix_b, m, n, k, T, Layout>::storage_element_type* matrix, unsigned ldm, CUDABOOK_HERE) {
    cudabook::load_factor<m == 8, std::is_same_v<Layout, col_major>>(f, matrix, ldm, {"load_matrix_sync", file, line});
}
template <int m, int n, int k, class T>
CUDABOOK_INLINE void load_matrix_sync(fragment<accumulator, m, n, k, T>& f,
                                      const typename fragment<accumulator, m, n, k, T>::storage_element_type* matrix,
                                      unsigned ldm, layout_t layout, CUDABOOK_HERE) {
    cudabook::move_product<false, m, n>(f.x, matrix, ldm, layout, {"load_matrix_sync", file, line});
}
template <int m, int n, int k, class T>
CUDABOOK_INLINE void store_matrix_sync(typename fragment<accumulator, m, n, k, T>::storage_element_type* matrix,
                                       const fragment<accumulator, m, n, k, T>& f, unsigned ldm, layout_t layout,
                                       CUDABOOK_HERE) {
    cudabook::move_product<true, m, n>(f.x, matrix, ldm, layout, {"store_matrix_sync", file, line});
}

template <int m, int n, int k, class T, class LayoutA, class LayoutB, class D, class C>
CUDABOOK_INLINE void mma_sync(fragment<accumulator, m, n, k, D>& d, const fragment<matrix_a, m, n, k, T, LayoutA>& a,
                              const fragment<matrix_b, m, n, k, T, LayoutB>& b,
                              const fragment<accumulator, m, n, k, C>& c, CUDABOOK_HERE) {
    if constexpr (m == 8) cudabook::multiply_tiles(d.x, b, a, c.x, {"mma_sync", file, line});
    else cudabook::multiply_tiles(d.x, a, b, c.x, {"mma_sync", file, line});
}

inline float __float_to_tf32(float x) {
    uint32_t bits = cudabook::to_tf32(x);
    float rounded;
    __builtin_memcpy(&rounded, &bits, 4);
    return rounded;
}

}  // namespace nvcuda::wmma

#undef CUDABOOK_HERE
