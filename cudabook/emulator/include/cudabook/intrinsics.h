// Device functions that C++ does not have: min and max of mixed types, cached loads and stores, fences, clocks.
// Meanings: CUDA C++ Programming Guide.
#pragma once
#include "launch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

namespace cudabook {
void fence(bool of_block);  // tells the runtime that the thread has passed a fence
void pause();               // lets other threads of the block go first
[[noreturn]] void trap();
}  // namespace cudabook

inline namespace cudabook_cuda {

// --- min and max of mixed arithmetic types, as CUDA has them in the global namespace
template <class A, class B>
constexpr std::common_type_t<A, B> min(A a, B b) {
    using T = std::common_type_t<A, B>;
    if constexpr (std::is_floating_point_v<T>) return ::fmin(T(a), T(b));
    else return T(b) < T(a) ? T(b) : T(a);
}
template <class A, class B>
constexpr std::common_type_t<A, B> max(A a, B b) {
    using T = std::common_type_t<A, B>;
    if constexpr (std::is_floating_point_v<T>) return ::fmax(T(a), T(b));
    else return T(a) < T(b) ? T(b) : T(a);
}

// --- loads and stores with a cache hint: the hint has no effect on the value
template <class T> inline T __ldg(const T* p) { return *p; }
template <class T> inline T __ldcs(const T* p) { return *p; }
template <class T> inline T __ldcg(const T* p) { return *p; }
template <class T> inline T __ldca(const T* p) { return *p; }
template <class T> inline T __ldlu(const T* p) { return *p; }
template <class T> inline T __ldcv(const T* p) { return *p; }
template <class T> inline void __stwb(T* p, T v) { *p = v; }
template <class T> inline void __stcs(T* p, T v) { *p = v; }
template <class T> inline void __stcg(T* p, T v) { *p = v; }
template <class T> inline void __stwt(T* p, T v) { *p = v; }

// --- fences: one OS thread runs a block; between blocks the machine's own fence is needed
#ifdef __SANITIZE_THREAD__
#define CUDABOOK_FENCE(of_block) cudabook::fence(of_block);
#else
#define CUDABOOK_FENCE(of_block)
#endif
inline void __threadfence() { CUDABOOK_FENCE(false) __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { CUDABOOK_FENCE(true) __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { CUDABOOK_FENCE(false) __atomic_thread_fence(__ATOMIC_SEQ_CST); }
#undef CUDABOOK_FENCE

// --- time: nanoseconds of this machine stand in for clock cycles
inline long long clock64() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}
inline unsigned long long __globaltimer() { return (unsigned long long)clock64(); }
inline void __nanosleep(unsigned) { cudabook::pause(); }
[[noreturn]] inline void __trap() { cudabook::trap(); }

// --- promises to the compiler
#define __builtin_assume(condition) ((void)0)

}  // namespace cudabook_cuda
