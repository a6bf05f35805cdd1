// Integer functions: bits, high products, averages, and the "SIMD in a word" ones that work on two halves or four
// bytes of a register. Meanings: CUDA Math API, "Integer Intrinsics" and "SIMD Intrinsics".
#pragma once

inline namespace cudabook_cuda {

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
inline unsigned long long __brevll(unsigned long long x) {
    return (unsigned long long)__brev(unsigned(x)) << 32 | __brev(unsigned(x >> 32));
}
// Byte i of the result is byte (selector >> 4i) & 7 of the eight bytes of y and x; bit 3 asks for its sign instead.
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    unsigned long long bytes = (unsigned long long)y << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; ++i) {
        unsigned pick = selector >> 4 * i & 15, byte = unsigned(bytes >> 8 * (pick & 7)) & 255;
        if (pick & 8) byte = byte & 128 ? 255 : 0;
        result |= byte << 8 * i;
    }
    return result;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return unsigned((((unsigned long long)high << 32 | low) << (shift & 31)) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return unsigned(((unsigned long long)high << 32 | low) >> (shift & 31));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned((unsigned long long)a * b >> 32); }
inline int __mulhi(int a, int b) { return int((long long)a * b >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
inline int __mul24(int a, int b) {
    return int(unsigned(int(unsigned(a) << 8) >> 8) * unsigned(int(unsigned(b) << 8) >> 8));
}
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
inline unsigned __sad(int a, int b, unsigned c) {
    return c + (a < b ? unsigned(b) - unsigned(a) : unsigned(a) - unsigned(b));
}
inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a < b ? b - a : a - b); }
inline unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
inline unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
inline long long llmin(long long a, long long b) { return a < b ? a : b; }
inline long long llmax(long long a, long long b) { return a > b ? a : b; }
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
inline int __hadd(int a, int b) { return int(((long long)a + b) >> 1); }
inline int __rhadd(int a, int b) { return int(((long long)a + b + 1) >> 1); }
inline unsigned __uhadd(unsigned a, unsigned b) { return unsigned(((unsigned long long)a + b) >> 1); }
inline unsigned __urhadd(unsigned a, unsigned b) { return unsigned(((unsigned long long)a + b + 1) >> 1); }

}  // namespace cudabook_cuda

namespace cudabook {

// op(a, b) in each lane of `Lane`'s width.
template <class Lane, class Op>
unsigned by_lane(unsigned a, unsigned b, Op op) {
    constexpr int bits = 8 * sizeof(Lane);
    unsigned result = 0;
    for (int at = 0; at < 32; at += bits)
        result |= (unsigned(op(int(Lane(a >> at)), int(Lane(b >> at)))) & ((1u << bits) - 1)) << at;
    return result;
}
template <class A, class B>
int dot4(unsigned a, unsigned b, int c) {
    unsigned sum = unsigned(c);
    for (int at = 0; at < 32; at += 8) sum += unsigned(int(A(a >> at)) * int(B(b >> at)));
    return int(sum);
}
template <class A, class B>
int dot2(unsigned a, unsigned b, int c) {  // two halves of a, the two low bytes of b
    unsigned sum = unsigned(c);
    for (int i = 0; i < 2; ++i) sum += unsigned(int(A(a >> 16 * i)) * int(B(b >> 8 * i)));
    return int(sum);
}

}  // namespace cudabook

inline namespace cudabook_cuda {

inline int __dp4a(int a, int b, int c) { return cudabook::dot4<signed char, signed char>(a, b, c); }
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    return unsigned(cudabook::dot4<unsigned char, unsigned char>(a, b, int(c)));
}
inline int __dp2a_lo(int a, int b, int c) { return cudabook::dot2<short, signed char>(a, b, c); }
inline int __dp2a_hi(int a, int b, int c) { return cudabook::dot2<short, signed char>(a, unsigned(b) >> 16, c); }
inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
    return unsigned(cudabook::dot2<unsigned short, unsigned char>(a, b, int(c)));
}
inline unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) {
    return unsigned(cudabook::dot2<unsigned short, unsigned char>(a, b >> 16, int(c)));
}

#define CUDABOOK_LANES(name, Signed2, Signed4, expression)                                \
    inline unsigned name##2(unsigned a, unsigned b) {                                     \
        return cudabook::by_lane<Signed2>(a, b, [](int x, int y) { return expression; }); \
    }                                                                                     \
    inline unsigned name##4(unsigned a, unsigned b) {                                     \
        return cudabook::by_lane<Signed4>(a, b, [](int x, int y) { return expression; }); \
    }
#define CUDABOOK_SIGNED(name, expression) CUDABOOK_LANES(name, short, signed char, expression)
#define CUDABOOK_UNSIGNED(name, expression) CUDABOOK_LANES(name, unsigned short, unsigned char, expression)
CUDABOOK_UNSIGNED(__vadd, x + y)
CUDABOOK_UNSIGNED(__vsub, x - y)
CUDABOOK_SIGNED(__vmaxs, x > y ? x : y)
CUDABOOK_SIGNED(__vmins, x < y ? x : y)
CUDABOOK_UNSIGNED(__vmaxu, x > y ? x : y)
CUDABOOK_UNSIGNED(__vminu, x < y ? x : y)
CUDABOOK_SIGNED(__vabsdiffs, x > y ? x - y : y - x)
CUDABOOK_UNSIGNED(__vabsdiffu, x > y ? x - y : y - x)
CUDABOOK_UNSIGNED(__vavgu, (x + y + 1) >> 1)
CUDABOOK_UNSIGNED(__vcmpeq, x == y ? -1 : 0)
CUDABOOK_UNSIGNED(__vcmpne, x != y ? -1 : 0)
CUDABOOK_SIGNED(__vcmpgts, x > y ? -1 : 0)
CUDABOOK_UNSIGNED(__vcmpgtu, x > y ? -1 : 0)
CUDABOOK_SIGNED(__vcmples, x <= y ? -1 : 0)
CUDABOOK_UNSIGNED(__vcmpleu, x <= y ? -1 : 0)
CUDABOOK_UNSIGNED(__vseteq, x == y)
#undef CUDABOOK_SIGNED
#undef CUDABOOK_UNSIGNED
#undef CUDABOOK_LANES

}  // namespace cudabook_cuda
