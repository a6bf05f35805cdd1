// CUDA's vector types (float4, uint3, dim3, ...) with the alignment that CUDA gives them.
#pragma once

namespace cudabook {
// Where stores are watched: the vector is stored in one piece, also if the compiler knows its parts.
template <class V>
inline V whole(V v) {
#ifdef __SANITIZE_THREAD__
    asm("" : "+m"(v));
#endif
    return v;
}
}  // namespace cudabook

inline namespace cudabook_cuda {

#define CUDABOOK_VECTOR(T, name, align2, align4)                                        \
    struct name##1 { T x; };                                                            \
    struct alignas(align2) name##2 { T x, y; };                                         \
    struct name##3 { T x, y, z; };                                                      \
    struct alignas(align4) name##4 { T x, y, z, w; };                                   \
    inline name##1 make_##name##1(T x) { return {x}; }                                  \
    inline name##2 make_##name##2(T x, T y) { return cudabook::whole(name##2 {x, y}); } \
    inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                  \
    inline name##4 make_##name##4(T x, T y, T z, T w) { return cudabook::whole(name##4 {x, y, z, w}); }

CUDABOOK_VECTOR(signed char, char, 2, 4)
CUDABOOK_VECTOR(unsigned char, uchar, 2, 4)
CUDABOOK_VECTOR(short, short, 4, 8)
CUDABOOK_VECTOR(unsigned short, ushort, 4, 8)
CUDABOOK_VECTOR(int, int, 8, 16)
CUDABOOK_VECTOR(unsigned int, uint, 8, 16)
CUDABOOK_VECTOR(long, long, 16, 16)
CUDABOOK_VECTOR(unsigned long, ulong, 16, 16)
CUDABOOK_VECTOR(long long, longlong, 16, 16)
CUDABOOK_VECTOR(unsigned long long, ulonglong, 16, 16)
CUDABOOK_VECTOR(float, float, 8, 16)
CUDABOOK_VECTOR(double, double, 16, 16)
#undef CUDABOOK_VECTOR

struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};

}  // namespace cudabook_cuda
