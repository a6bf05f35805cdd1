// atomicAdd and its kin. Blocks run on several OS threads, so these are real atomic operations.
#pragma once
#include "launch.h"

namespace cudabook {

template <class Word, class T, class Update>
T atomic_update(T* address, Update update) {
    static_assert(sizeof(Word) == sizeof(T));
    Word* word = reinterpret_cast<Word*>(address);
    Word seen = __atomic_load_n(word, __ATOMIC_RELAXED);
    for (;;) {
        T before, after;
        __builtin_memcpy(&before, &seen, sizeof(T));
        after = update(before);
        Word wanted;
        __builtin_memcpy(&wanted, &after, sizeof(T));
        if (__atomic_compare_exchange_n(word, &seen, wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return before;
    }
}

}  // namespace cudabook

inline namespace cudabook_cuda {

#define CUDABOOK_INTEGER_ATOMICS(T)                                                                    \
    inline T atomicAdd(T* p, T v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }               \
    inline T atomicExch(T* p, T v) { return __atomic_exchange_n(p, v, __ATOMIC_RELAXED); }             \
    inline T atomicAnd(T* p, T v) { return __atomic_fetch_and(p, v, __ATOMIC_RELAXED); }               \
    inline T atomicOr(T* p, T v) { return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); }                 \
    inline T atomicXor(T* p, T v) { return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED); }               \
    inline T atomicCAS(T* p, T expected, T desired) {                                                  \
        __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
        return expected;                                                                               \
    }                                                                                                  \
    inline T atomicMin(T* p, T v) {                                                                    \
        return cudabook::atomic_update<T>(p, [v](T x) { return v < x ? v : x; });                      \
    }                                                                                                  \
    inline T atomicMax(T* p, T v) {                                                                    \
        return cudabook::atomic_update<T>(p, [v](T x) { return v > x ? v : x; });                      \
    }

CUDABOOK_INTEGER_ATOMICS(int)
CUDABOOK_INTEGER_ATOMICS(unsigned int)
CUDABOOK_INTEGER_ATOMICS(unsigned long long)
#undef CUDABOOK_INTEGER_ATOMICS

inline int atomicSub(int* p, int v) { return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED); }
inline unsigned atomicSub(unsigned* p, unsigned v) { return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED); }
inline unsigned atomicInc(unsigned* p, unsigned limit) {
    return cudabook::atomic_update<unsigned>(p, [limit](unsigned x) { return x >= limit ? 0u : x + 1; });
}
inline unsigned atomicDec(unsigned* p, unsigned limit) {
    return cudabook::atomic_update<unsigned>(p, [limit](unsigned x) { return x == 0 || x > limit ? limit : x - 1; });
}
inline float atomicAdd(float* p, float v) {
    return cudabook::atomic_update<unsigned>(p, [v](float x) { return x + v; });
}
inline double atomicAdd(double* p, double v) {
    return cudabook::atomic_update<unsigned long long>(p, [v](double x) { return x + v; });
}
inline float atomicExch(float* p, float v) {
    return cudabook::atomic_update<unsigned>(p, [v](float) { return v; });
}

}  // namespace cudabook_cuda
