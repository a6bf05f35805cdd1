// Warp-level functions: shuffles, votes, match, reduce, __syncwarp, and the votes of a whole block.
// Meanings: CUDA C++ Programming Guide, "Warp Shuffle Functions" and the sections around it.
#pragma once
#include "launch.h"

namespace cudabook {

// What the lanes named by a mask gave when they met.
struct Met {
    const uint64_t* value;  // of each lane
    unsigned present;       // lanes that took part: of the mask, those that exist and have not returned
};

Met meet(unsigned mask, uint64_t value, const char* file, int line);
void sync_warp(unsigned mask, const char* file, int line);
unsigned active_lanes(const char* file, int line);

// A barrier of the block that also counts: how many threads gave true.
unsigned barrier_count(bool value, const char* file, int line);

inline unsigned lane() { return thread_rank() % 32; }

template <class T>
uint64_t pack(T v) {
    static_assert(sizeof(T) <= 8, "warp functions exchange values of at most 8 bytes");
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &v, sizeof v);
    return bits;
}
template <class T>
T unpack(uint64_t bits) {
    T v;
    __builtin_memcpy(&v, &bits, sizeof v);
    return v;
}

// The value of lane `source`; of a lane that took no part, all bits set (NaN): on a GPU it is undefined.
template <class T>
T from_lane(const Met& met, unsigned source) {
    return unpack<T>(met.present >> source & 1 ? met.value[source] : ~uint64_t(0));
}

}  // namespace cudabook

#define CUDABOOK_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

inline namespace cudabook_cuda {

template <class T>
T __shfl_sync(unsigned mask, T v, int source, int width = 32, CUDABOOK_HERE) {
    unsigned me = cudabook::lane(), first = me & ~(width - 1u);
    return cudabook::from_lane<T>(cudabook::meet(mask, cudabook::pack(v), file, line), first + (source & (width - 1)));
}
template <class T>
T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32, CUDABOOK_HERE) {
    unsigned me = cudabook::lane(), within = me & (width - 1u);
    return cudabook::from_lane<T>(cudabook::meet(mask, cudabook::pack(v), file, line),
                                  within >= delta ? me - delta : me);
}
template <class T>
T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32, CUDABOOK_HERE) {
    unsigned me = cudabook::lane(), within = me & (width - 1u);
    return cudabook::from_lane<T>(cudabook::meet(mask, cudabook::pack(v), file, line),
                                  within + delta < unsigned(width) ? me + delta : me);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T v, int lane_mask, int width = 32, CUDABOOK_HERE) {
    unsigned me = cudabook::lane(), last = me | (width - 1u), source = me ^ unsigned(lane_mask);
    return cudabook::from_lane<T>(cudabook::meet(mask, cudabook::pack(v), file, line), source <= last ? source : me);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, CUDABOOK_HERE) {
    cudabook::Met met = cudabook::meet(mask, predicate != 0, file, line);
    unsigned result = 0;
    for (unsigned i = 0; i < 32; ++i)
        if (met.present >> i & 1) result |= unsigned(met.value[i]) << i;
    return result;
}
inline int __any_sync(unsigned mask, int predicate, CUDABOOK_HERE) {
    return __ballot_sync(mask, predicate, file, line) != 0;
}
inline int __all_sync(unsigned mask, int predicate, CUDABOOK_HERE) {
    return __ballot_sync(mask, !predicate, file, line) == 0;
}
inline void __syncwarp(unsigned mask = 0xffffffffu, CUDABOOK_HERE) { cudabook::sync_warp(mask, file, line); }
inline unsigned __activemask(CUDABOOK_HERE) { return cudabook::active_lanes(file, line); }

template <class T>
unsigned __match_any_sync(unsigned mask, T v, CUDABOOK_HERE) {
    uint64_t mine = cudabook::pack(v);
    cudabook::Met met = cudabook::meet(mask, mine, file, line);
    unsigned result = 0;
    for (unsigned i = 0; i < 32; ++i)
        if ((met.present >> i & 1) && met.value[i] == mine) result |= 1u << i;
    return result;
}
template <class T>
unsigned __match_all_sync(unsigned mask, T v, int* all_equal, CUDABOOK_HERE) {
    uint64_t mine = cudabook::pack(v);
    cudabook::Met met = cudabook::meet(mask, mine, file, line);
    *all_equal = 1;
    for (unsigned i = 0; i < 32; ++i)
        if ((met.present >> i & 1) && met.value[i] != mine) *all_equal = 0;
    return *all_equal ? met.present : 0;
}

#define CUDABOOK_REDUCE(name, T, expression)                                     \
    inline T name(unsigned mask, T v, CUDABOOK_HERE) {                           \
        cudabook::Met met = cudabook::meet(mask, cudabook::pack(v), file, line); \
        unsigned first = __builtin_ctz(met.present);                             \
        T a = cudabook::unpack<T>(met.value[first]);                             \
        for (unsigned i = first + 1; i < 32; ++i) {                              \
            if (!(met.present >> i & 1)) continue;                               \
            T b = cudabook::unpack<T>(met.value[i]);                             \
            a = expression;                                                      \
        }                                                                        \
        return a;                                                                \
    }
CUDABOOK_REDUCE(__reduce_add_sync, unsigned, a + b)
CUDABOOK_REDUCE(__reduce_add_sync, int, int(unsigned(a) + unsigned(b)))
CUDABOOK_REDUCE(__reduce_min_sync, unsigned, b < a ? b : a)
CUDABOOK_REDUCE(__reduce_min_sync, int, b < a ? b : a)
CUDABOOK_REDUCE(__reduce_max_sync, unsigned, b > a ? b : a)
CUDABOOK_REDUCE(__reduce_max_sync, int, b > a ? b : a)
CUDABOOK_REDUCE(__reduce_and_sync, unsigned, a& b)
CUDABOOK_REDUCE(__reduce_or_sync, unsigned, a | b)
CUDABOOK_REDUCE(__reduce_xor_sync, unsigned, a ^ b)
#undef CUDABOOK_REDUCE

inline int __syncthreads_count(int predicate, CUDABOOK_HERE) {
    return int(cudabook::barrier_count(predicate != 0, file, line));
}
inline int __syncthreads_or(int predicate, CUDABOOK_HERE) {
    return cudabook::barrier_count(predicate != 0, file, line) != 0;
}
inline int __syncthreads_and(int predicate, CUDABOOK_HERE) {
    return cudabook::barrier_count(predicate == 0, file, line) == 0;
}

}  // namespace cudabook_cuda

#undef CUDABOOK_HERE
