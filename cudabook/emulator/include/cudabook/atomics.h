// atomicAdd and its kin, each also as _block and _system. Blocks run on several OS threads, so these are real atomics.
#pragma once
#include "launch.h"

namespace cudabook {

// Where loads and stores are watched, an atomic is one access at the line that calls it, whatever it does inside.
enum AtomicFlag : unsigned char { unread = 1, of_block = 8 };  // unread: the result may be unused
#ifdef __SANITIZE_THREAD__
void trace_atomic(const void* address, unsigned size, unsigned flags, void* pc);
#define CUDABOOK_ATOMIC static __attribute__((noinline, no_sanitize("thread")))
#define CUDABOOK_TRACE(p, flags) cudabook::trace_atomic(p, sizeof *p, flags, __builtin_return_address(0));
#else
#define CUDABOOK_ATOMIC inline
#define CUDABOOK_TRACE(p, flags)
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

// One function in the three scopes. `p` is the address; the body may use what the parameter list names.
#define CUDABOOK_ATOMIC_FUNCTION(T, name, parameters, flags, body)                                              \
    CUDABOOK_ATOMIC T name parameters{CUDABOOK_TRACE(p, flags) body} CUDABOOK_ATOMIC T name##_block parameters{ \
        CUDABOOK_TRACE(p, (flags) | cudabook::of_block) body} CUDABOOK_ATOMIC T name##_system parameters {      \
        CUDABOOK_TRACE(p, flags) body                                                                           \
    }

// By a loop of compare-and-swap on a word as wide as T: `expression` is the new value for the old one, x.
#define CUDABOOK_ATOMIC_UPDATE(T, Word, name, flags, expression) \
    CUDABOOK_ATOMIC_FUNCTION(T, name, (T * p, T v), flags,       \
                             { return cudabook::atomic_update<Word>(p, [v](T x) -> T { return expression; }); })

// Each part of a vector by itself, as CUDA does it.
#define CUDABOOK_ATOMIC_PARTS(T, parts)                                                      \
    CUDABOOK_ATOMIC_FUNCTION(T, atomicAdd, (T * p, T v), 0, {                                \
        T before;                                                                            \
        for (int i = 0; i < parts; ++i)                                                      \
            (&before.x)[i] = cudabook::atomic_update<decltype(cudabook::word_of(v.x))>(      \
                &p->x + i, [&](decltype(v.x) x) -> decltype(v.x) { return x + (&v.x)[i]; }); \
        return before;                                                                       \
    })

namespace cudabook {
template <class T>
auto word_of(T) {
    if constexpr (sizeof(T) == 2) return (unsigned short)0;
    else return 0u;
}
}  // namespace cudabook

inline namespace cudabook_cuda {

#define CUDABOOK_INTEGER(T, name, flags, builtin) \
    CUDABOOK_ATOMIC_FUNCTION(T, name, (T * p, T v), flags, { return builtin(p, v, __ATOMIC_RELAXED); })
#define CUDABOOK_CAS(T)                                                                                \
    CUDABOOK_ATOMIC_FUNCTION(T, atomicCAS, (T * p, T expected, T desired), 0, {                        \
        __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
        return expected;                                                                               \
    })
#define CUDABOOK_MIN_MAX(T)                                   \
    CUDABOOK_ATOMIC_UPDATE(T, T, atomicMin, 0, v < x ? v : x) \
    CUDABOOK_ATOMIC_UPDATE(T, T, atomicMax, 0, v > x ? v : x)
#define CUDABOOK_INTEGERS(T)                                               \
    CUDABOOK_INTEGER(T, atomicAdd, 0, __atomic_fetch_add)                  \
    CUDABOOK_INTEGER(T, atomicAnd, 0, __atomic_fetch_and)                  \
    CUDABOOK_INTEGER(T, atomicOr, 0, __atomic_fetch_or)                    \
    CUDABOOK_INTEGER(T, atomicXor, 0, __atomic_fetch_xor)                  \
    CUDABOOK_INTEGER(T, atomicExch, cudabook::unread, __atomic_exchange_n) \
    CUDABOOK_CAS(T)                                                        \
    CUDABOOK_MIN_MAX(T)

CUDABOOK_INTEGERS(int)
CUDABOOK_INTEGERS(unsigned int)
CUDABOOK_INTEGERS(unsigned long long)
CUDABOOK_MIN_MAX(long long)
CUDABOOK_CAS(unsigned short)
CUDABOOK_INTEGER(int, atomicSub, 0, __atomic_fetch_sub)
CUDABOOK_INTEGER(unsigned, atomicSub, 0, __atomic_fetch_sub)
CUDABOOK_ATOMIC_UPDATE(unsigned, unsigned, atomicInc, 0, x >= v ? 0u : x + 1)
CUDABOOK_ATOMIC_UPDATE(unsigned, unsigned, atomicDec, 0, x == 0 || x > v ? v : x - 1)
CUDABOOK_ATOMIC_UPDATE(float, unsigned, atomicAdd, 0, x + v)
CUDABOOK_ATOMIC_UPDATE(double, unsigned long long, atomicAdd, 0, x + v)
CUDABOOK_ATOMIC_UPDATE(float, unsigned, atomicExch, cudabook::unread, v)
CUDABOOK_ATOMIC_PARTS(float2, 2)
CUDABOOK_ATOMIC_PARTS(float4, 4)

#undef CUDABOOK_INTEGERS
#undef CUDABOOK_MIN_MAX
#undef CUDABOOK_CAS
#undef CUDABOOK_INTEGER

}  // namespace cudabook_cuda
