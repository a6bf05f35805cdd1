// What g++ -fsanitize=thread makes a kernel call at each load, store and function: the names are libtsan's, which is
// not linked. Outside a kernel's body they do nothing.
#include "block.h"

#include <cstring>

namespace {

using cudabook::Access;
using cudabook::Kind;

inline void note(const void* address, uint8_t size, Kind kind, void* pc, uint8_t how = 0) {
    if (cudabook::Worker* w = cudabook::worker)
        w->access({reinterpret_cast<uintptr_t>(pc), reinterpret_cast<uintptr_t>(address), size, kind, how});
}

// Structs, and whatever is less aligned than it is wide: as many accesses of at most 4 bytes as it takes.
void note_parts(const void* address, size_t bytes, Kind kind, void* pc, uint8_t how = 0) {
    if (!cudabook::worker) return;
    auto p = static_cast<const char*>(address);
    while (bytes) {
        size_t part = 4;
        while (part > bytes || reinterpret_cast<uintptr_t>(p) % part) part /= 2;
        note(p, uint8_t(part), kind, pc, how);
        p += part, bytes -= part, how |= Access::continues;
    }
}

}  // namespace

#define CALLER __builtin_return_address(0)
#define READ_WRITE(bytes)                                                                                  \
    void __tsan_read##bytes(void* p) { note(p, bytes, Kind::load, CALLER); }                               \
    void __tsan_write##bytes(void* p) { note(p, bytes, Kind::store, CALLER); }                             \
    void __tsan_volatile_read##bytes(void* p) { note(p, bytes, Kind::load, CALLER, Access::is_volatile); } \
    void __tsan_volatile_write##bytes(void* p) { note(p, bytes, Kind::store, CALLER, Access::is_volatile); }
#define UNALIGNED(bytes)                                                                       \
    void __tsan_unaligned_read##bytes(void* p) { note_parts(p, bytes, Kind::load, CALLER); }   \
    void __tsan_unaligned_write##bytes(void* p) { note_parts(p, bytes, Kind::store, CALLER); } \
    void __tsan_unaligned_volatile_read##bytes(void* p) {                                      \
        note_parts(p, bytes, Kind::load, CALLER, Access::is_volatile);                         \
    }                                                                                          \
    void __tsan_unaligned_volatile_write##bytes(void* p) {                                     \
        note_parts(p, bytes, Kind::store, CALLER, Access::is_volatile);                        \
    }

extern "C" {

READ_WRITE(1)
READ_WRITE(2)
READ_WRITE(4)
READ_WRITE(8)
READ_WRITE(16)
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)

// Copies of structs that no register holds.
void __tsan_read_range(void* p, size_t bytes) { note_parts(p, bytes, Kind::load, CALLER); }
void __tsan_write_range(void* p, size_t bytes) { note_parts(p, bytes, Kind::store, CALLER); }

// Calls in watched libraries are linked to these.
void* __wrap_memcpy(void* to, const void* from, size_t bytes) {
    note_parts(from, bytes, Kind::load, CALLER);
    note_parts(to, bytes, Kind::store, CALLER);
    return memcpy(to, from, bytes);
}
void* __wrap_memmove(void* to, const void* from, size_t bytes) {
    note_parts(from, bytes, Kind::load, CALLER);
    note_parts(to, bytes, Kind::store, CALLER);
    return memmove(to, from, bytes);
}
void* __wrap_memset(void* to, int value, size_t bytes) {
    note_parts(to, bytes, Kind::store, CALLER);
    return memset(to, value, bytes);
}

void __tsan_init() {}
void __tsan_func_entry(void*) {
    if (cudabook::Worker* w = cudabook::worker) w->call(+1);
}
void __tsan_func_exit() {
    if (cudabook::Worker* w = cudabook::worker) w->call(-1);
}
void __sanitizer_cov_trace_pc() {
    if (cudabook::Worker* w = cudabook::worker) w->basic_block(reinterpret_cast<uintptr_t>(CALLER));
}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) {}

// std::atomic and the compiler's own atomic functions. (CUDA's are in include/cudabook/atomics.h.)
#define ATOMICS(bits, T)                                                                               \
    T __tsan_atomic##bits##_load(const volatile T* p, int) {                                           \
        note(const_cast<T*>(p), sizeof(T), Kind::atomic, CALLER);                                      \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                   \
    }                                                                                                  \
    void __tsan_atomic##bits##_store(volatile T* p, T v, int) {                                        \
        note(const_cast<T*>(p), sizeof(T), Kind::atomic, CALLER);                                      \
        __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                      \
    }                                                                                                  \
    ATOMIC_UPDATE(bits, T, exchange, __atomic_exchange_n)                                              \
    ATOMIC_UPDATE(bits, T, fetch_add, __atomic_fetch_add)                                              \
    ATOMIC_UPDATE(bits, T, fetch_sub, __atomic_fetch_sub)                                              \
    ATOMIC_UPDATE(bits, T, fetch_and, __atomic_fetch_and)                                              \
    ATOMIC_UPDATE(bits, T, fetch_or, __atomic_fetch_or)                                                \
    ATOMIC_UPDATE(bits, T, fetch_xor, __atomic_fetch_xor)                                              \
    ATOMIC_UPDATE(bits, T, fetch_nand, __atomic_fetch_nand)                                            \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile T* p, T* expected, T v, int, int) {     \
        note(const_cast<T*>(p), sizeof(T), Kind::atomic, CALLER);                                      \
        return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    }                                                                                                  \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile T* p, T* expected, T v, int, int) {       \
        note(const_cast<T*>(p), sizeof(T), Kind::atomic, CALLER);                                      \
        return __atomic_compare_exchange_n(p, expected, v, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);  \
    }
#define ATOMIC_UPDATE(bits, T, name, builtin)                     \
    T __tsan_atomic##bits##_##name(volatile T* p, T v, int) {     \
        note(const_cast<T*>(p), sizeof(T), Kind::atomic, CALLER); \
        return builtin(p, v, __ATOMIC_SEQ_CST);                   \
    }

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

}  // extern "C"

namespace cudabook {
void trace_atomic(const void* address, unsigned size, unsigned flags, void* pc) {
    note(address, uint8_t(size), Kind::atomic, pc, uint8_t(flags));
}
void fence(bool of_block) {
    if (worker) worker->fence(of_block);
}
void entered() {
    if (worker) worker->enter();
}
void pause() {
    if (worker) worker->pause();
}
void trap() { worker->fail({cudaErrorLaunchFailure, "trap", "__trap() was called by " + worker->where() + "."}); }
}  // namespace cudabook
