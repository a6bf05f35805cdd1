// The execution side of the emulator as a translated .cu file sees it: built-in variables, launches,
// shared memory and barriers. Implemented in runtime/.
#pragma once
#include "errors.h"
#include "vector_types.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

inline namespace cudabook_cuda {
typedef struct CUstream_st* cudaStream_t;

// Real variables, not macros: host code may name its locals gridDim. One copy per OS thread; the scheduler sets
// them whenever it switches to another CUDA thread.
#define CUDABOOK_BUILTIN(type, name) \
    extern const __thread type name __asm__("cudabook_" #name) __attribute__((tls_model("initial-exec")))
CUDABOOK_BUILTIN(uint3, threadIdx);
CUDABOOK_BUILTIN(uint3, blockIdx);
CUDABOOK_BUILTIN(dim3, blockDim);
CUDABOOK_BUILTIN(dim3, gridDim);
constexpr int warpSize = 32;
}  // namespace cudabook_cuda

namespace cudabook {

// What the runtime knows of a kernel (one object for each instance of a template). Made by the line that the
// translator puts at the start of every __global__ function.
struct Kernel {
    const char* signature;  // as the compiler prints it, template arguments included
    const char* file;
    int line;
    unsigned max_threads;  // __launch_bounds__'s first argument, or 1024
    unsigned min_blocks;   // its second, or 0
    size_t max_dynamic_shared = 48 * 1024;  // raised by cudaFuncSetAttribute
    size_t static_shared = 0;               // learnt while the kernel runs
};

// Set while the runtime asks a kernel who it is: the kernel stores its description and returns at once.
extern __thread Kernel** probe __asm__("cudabook_probe") __attribute__((tls_model("initial-exec")));

// Defined where the compiler instruments loads and stores: from here on they are the kernel's own.
#ifdef __SANITIZE_THREAD__
void entered();
#define CUDABOOK_ENTERED cudabook::entered()
#else
#define CUDABOOK_ENTERED (void)0
#endif

#define CUDABOOK_KERNEL(bounds)                                                                                      \
    static cudabook::Kernel cudabook_kernel{__PRETTY_FUNCTION__, __FILE__, __LINE__, bounds.threads, bounds.blocks}; \
    if (__builtin_expect(cudabook::probe != nullptr, 0)) {                                                           \
        *cudabook::probe = &cudabook_kernel;                                                                         \
        return;                                                                                                      \
    }                                                                                                                \
    CUDABOOK_ENTERED

struct Bounds {
    unsigned threads, blocks;
};
constexpr Bounds launch_bounds(unsigned max_threads = 1024, unsigned min_blocks = 0, unsigned = 0) {
    return {max_threads, min_blocks};
}

struct Config {
    dim3 grid, block;
    size_t dynamic_shared;
    cudaStream_t stream;
    bool cooperative = false;  // all blocks are there at once, and may wait for each other
    Config(dim3 g, dim3 b, size_t shared = 0, cudaStream_t s = nullptr)
        : grid(g), block(b), dynamic_shared(shared), stream(s) {}
};

struct LaunchSite {
    const char* text;  // what stands before <<<
    const char* file;
    int line;
};

void run_launch(const LaunchSite& site, const Config& config, void (*entry)(void*), void* closure);

// NAME<<<grid, block, ...>>>(args): `call` runs NAME with the arguments that are evaluated once, here.
template <class Call, class... Args>
void launch(const LaunchSite& site, const Config& config, Call&& call, Args&&... args) {
    auto once = [&] { call(args...); };
    using Once = decltype(once);
    run_launch(site, config, [](void* closure) { (*static_cast<Once*>(closure))(); }, &once);
}

// One __shared__ declaration. Its memory lives as long as a block, in the block's shared memory.
struct SharedSite {
    const char* names;
    const char* file;
    int line;
    size_t size, align;
};
void* shared(const SharedSite& site);
void* dynamic_shared();

template <class T>
T& shared_variable(const SharedSite& site) {
    return *static_cast<T*>(shared(site));
}

// `extern __shared__ T name[];` outside a function: a name that stands for the block's dynamic shared memory.
template <class T>
struct DynamicShared {
    operator T*() const { return static_cast<T*>(dynamic_shared()); }
};

// One __constant__ variable, made known when the library is loaded.
void constant_memory(const void* begin, size_t bytes);
struct Constant {
    Constant(const void* begin, size_t bytes) { constant_memory(begin, bytes); }
};

void barrier(const char* file, int line);
unsigned thread_rank();  // of this thread in its block, x fastest

}  // namespace cudabook

inline namespace cudabook_cuda {
inline void __syncthreads(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    cudabook::barrier(file, line);
}
}  // namespace cudabook_cuda
