// Asynchronous copies from global to shared memory (cp.async), by CUDA's pipeline primitives. A copy is done by the
// wait that names it, not before: who reads too early reads what was there.
#pragma once
#include "cuda_runtime.h"

namespace cudabook {
// `bytes` are 4, 8 or 16; only the first `from_bytes` are read, the rest becomes zero.
void async_copy(void* to, const void* from, unsigned bytes, unsigned from_bytes, void* pc);
void async_commit();                   // the copies since the last commit are one group
void async_wait(unsigned groups_left);  // all groups are done but the last so many

#ifdef __SANITIZE_THREAD__
#define CUDABOOK_COPY static __attribute__((noinline, no_sanitize("thread")))
#else
#define CUDABOOK_COPY inline
#endif
CUDABOOK_COPY void async_copy_here(void* to, const void* from, size_t bytes, size_t zeros) {
    async_copy(to, from, unsigned(bytes), unsigned(bytes - zeros), __builtin_return_address(0));
}
#undef CUDABOOK_COPY
}  // namespace cudabook

inline namespace cudabook_cuda {
// As macros, so that the line is the caller's.
#define __pipeline_memcpy_async_zeros(to, from, bytes, zeros, ...) cudabook::async_copy_here(to, from, bytes, zeros)
#define __pipeline_memcpy_async(to, from, ...) __pipeline_memcpy_async_zeros(to, from, __VA_ARGS__, 0, 0)
inline void __pipeline_commit() { cudabook::async_commit(); }
inline void __pipeline_wait_prior(size_t groups_left) { cudabook::async_wait(unsigned(groups_left)); }
}  // namespace cudabook_cuda
