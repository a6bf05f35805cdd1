// atomicAdd and its kin. Blocks run on several OS threads, so these are real atomic operations.
#pragma once
#include "launch.h"

namespace cudabook {

// Where loads and stores are watched, an atomic is one access at the line that calls it, whatever it does inside.
#ifdef __SANITIZE_THREAD__
void trace_atomic(const void* address, unsigned size, void* pc);
void trace_exchange(const void* address, unsigned size, void* pc);  // whose result may be unused
#define CUDABOOK_ATOMIC static __attribute__((noinline, no_sanitize("thread")))
#define CUDABOOK_TRACE cudabook::trace_atomic(p, sizeof *p, __builtin_return_address(0));
#define CUDABOOK_TRACE_EXCHANGE cudabook::trace_exchange(p, sizeof *p, __builtin_return_address(0));
#else
#define CUDABOOK_ATOMIC inline
#define CUDABOOK_TRACE
#define CUDABOOK_TRACE_EXCHANGE
#endif

template <class Word, class T, class Update>
CUDABOOK_ATOMIC T atomic_update(T* address, Update update) {
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

#define CUDABOOK_INTEGER_ATOMICS(T)                                                                              \
    CUDABOOK_ATOMIC T atomicAdd(T* p, T v) { CUDABOOK_TRACE return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); } \
    CUDABOOK_ATOMIC T atomicExch(T* p, T v) {                                                                    \
        CUDABOOK_TRACE_EXCHANGE return __atomic_exchange_n(p, v, __ATOMIC_RELAXED);                              \
    }                                                                                                            \
    CUDABOOK_ATOMIC T atomicAnd(T* p, T v) { CUDABOOK_TRACE return __atomic_fetch_and(p, v, __ATOMIC_RELAXED); } \
    CUDABOOK_ATOMIC T atomicOr(T* p, T v) { CUDABOOK_TRACE return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); }   \
    CUDABOOK_ATOMIC T atomicXor(T* p, T v) { CUDABOOK_TRACE return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED); } \
    CUDABOOK_ATOMIC T atomicCAS(T* p, T expected, T desired) {                                                   \
        CUDABOOK_TRACE                                                                                           \
        __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);           \
        return expected;                                                                                         \
    }                                                                                                            \
    CUDABOOK_ATOMIC T atomicMin(T* p, T v) {                                                                     \
        CUDABOOK_TRACE                                                                                           \
        return cudabook::atomic_update<T>(p, [v](T x) { return v < x ? v : x; });                                \
    }                                                                                                            \
    CUDABOOK_ATOMIC T atomicMax(T* p, T v) {                                                                     \
        CUDABOOK_TRACE                                                                                           \
        return cudabook::atomic_update<T>(p, [v](T x) { return v > x ? v : x; });                                \
    }

CUDABOOK_INTEGER_ATOMICS(int)
CUDABOOK_INTEGER_ATOMICS(unsigned int)
CUDABOOK_INTEGER_ATOMICS(unsigned long long)
#undef CUDABOOK_INTEGER_ATOMICS

CUDABOOK_ATOMIC int atomicSub(int* p, int v) { CUDABOOK_TRACE return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED); }
CUDABOOK_ATOMIC unsigned atomicSub(unsigned* p, unsigned v) {
    CUDABOOK_TRACE return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED);
}
CUDABOOK_ATOMIC unsigned atomicInc(unsigned* p, unsigned limit) {
    CUDABOOK_TRACE
    return cudabook::atomic_update<unsigned>(p, [limit](unsigned x) { return x >= limit ? 0u : x + 1; });
}
CUDABOOK_ATOMIC unsigned atomicDec(unsigned* p, unsigned limit) {
    CUDABOOK_TRACE
    return cudabook::atomic_update<unsigned>(p, [limit](unsigned x) { return x == 0 || x > limit ? limit : x - 1; });
}
CUDABOOK_ATOMIC float atomicAdd(float* p, float v) {
    CUDABOOK_TRACE
    return cudabook::atomic_update<unsigned>(p, [v](float x) { return x + v; });
}
CUDABOOK_ATOMIC double atomicAdd(double* p, double v) {
    CUDABOOK_TRACE
    return cudabook::atomic_update<unsigned long long>(p, [v](double x) { return x + v; });
}
CUDABOOK_ATOMIC float atomicExch(float* p, float v) {
    CUDABOOK_TRACE_EXCHANGE
    return cudabook::atomic_update<unsigned>(p, [v](float) { return v; });
}

}  // namespace cudabook_cuda

#undef CUDABOOK_ATOMIC
#undef CUDABOOK_TRACE
#undef CUDABOOK_TRACE_EXCHANGE
