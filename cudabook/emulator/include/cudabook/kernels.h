// Kernels as values: launches through a function pointer, attributes, occupancy.
#pragma once
#include "api.h"

#include <utility>

namespace cudabook {
typedef void (*AnyKernel)();
}

inline namespace cudabook_cuda {

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 13
};
enum cudaSharedCarveout {
    cudaSharedmemCarveoutDefault = -1,
    cudaSharedmemCarveoutMaxL1 = 0,
    cudaSharedmemCarveoutMaxShared = 100
};
enum cudaFuncCache {
    cudaFuncCachePreferNone = 0,
    cudaFuncCachePreferShared = 1,
    cudaFuncCachePreferL1 = 2,
    cudaFuncCachePreferEqual = 3
};

// What is declared in the source is exact. How many registers a thread uses is ptxas's decision: numRegs is the most
// that __launch_bounds__ allows. sharedSizeBytes is known once the kernel has run.
struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes;
    int preferredShmemCarveout;
};

struct cudaLaunchAttribute {
    int id;
    unsigned val[16];
};
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute* attrs;
    unsigned numAttrs;
};

}  // namespace cudabook_cuda

namespace cudabook {

cudaError_t set_attribute(AnyKernel kernel, int attribute, int value);
cudaError_t get_attributes(cudaFuncAttributes* attributes, AnyKernel kernel);
cudaError_t resident_blocks(int* blocks, AnyKernel kernel, int block_size, size_t dynamic_shared);
cudaError_t best_block_size(int* min_grid, int* block_size, AnyKernel kernel, size_t (*shared)(int, const void*),
                            const void* context, int limit);
cudaError_t free_shared(size_t* bytes, AnyKernel kernel, int blocks, int block_size);
// Every block of a cooperative launch must fit on the device at once.
cudaError_t check_cooperative(AnyKernel kernel, const Config& config);

template <class... P>
AnyKernel any(void (*kernel)(P...)) {
    return reinterpret_cast<AnyKernel>(kernel);
}

template <class... P, size_t... I>
cudaError_t launch_pointer(void (*kernel)(P...), const Config& config, void** args, std::index_sequence<I...>) {
    launch({"cudaLaunchKernel", __builtin_FILE(), 0}, config,
           [&] { kernel(*static_cast<std::remove_reference_t<P>*>(args[I])...); });
    return cudaPeekAtLastError();
}

}  // namespace cudabook

inline namespace cudabook_cuda {

template <class... P>
cudaError_t cudaFuncSetAttribute(void (*kernel)(P...), cudaFuncAttribute attribute, int value) {
    return cudabook::set_attribute(cudabook::any(kernel), attribute, value);
}
template <class... P>
cudaError_t cudaFuncSetCacheConfig(void (*kernel)(P...), cudaFuncCache) {
    return kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}
template <class... P>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, void (*kernel)(P...)) {
    return cudabook::get_attributes(attributes, cudabook::any(kernel));
}
template <class... P>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void (*kernel)(P...), int block_size,
                                                          size_t dynamic_shared) {
    return cudabook::resident_blocks(blocks, cudabook::any(kernel), block_size, dynamic_shared);
}
template <class... P>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, void (*kernel)(P...), int block_size,
                                                                   size_t dynamic_shared, unsigned) {
    return cudabook::resident_blocks(blocks, cudabook::any(kernel), block_size, dynamic_shared);
}
template <class... P, class Shared>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* min_grid, int* block_size, void (*kernel)(P...),
                                                           Shared shared, int limit = 0) {
    auto bytes = [](int threads, const void* f) { return size_t((*static_cast<const Shared*>(f))(threads)); };
    return cudabook::best_block_size(min_grid, block_size, cudabook::any(kernel), bytes, &shared, limit);
}
template <class... P>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* min_grid, int* block_size, void (*kernel)(P...),
                                               size_t dynamic_shared = 0, int limit = 0) {
    auto bytes = [](int, const void* n) { return *static_cast<const size_t*>(n); };
    return cudabook::best_block_size(min_grid, block_size, cudabook::any(kernel), bytes, &dynamic_shared, limit);
}
template <class... P>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, void (*kernel)(P...), int blocks, int block_size) {
    return cudabook::free_shared(bytes, cudabook::any(kernel), blocks, block_size);
}

// The arguments lie behind pointers, one each; their types are the kernel's.
template <class... P>
cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** args, size_t dynamic_shared = 0,
                             cudaStream_t stream = 0) {
    return cudabook::launch_pointer(kernel, {grid, block, dynamic_shared, stream}, args,
                                    std::index_sequence_for<P...>{});
}
template <class... P>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** args,
                                        size_t dynamic_shared = 0, cudaStream_t stream = 0) {
    cudabook::Config config(grid, block, dynamic_shared, stream);
    config.cooperative = true;
    cudaError_t error = cudabook::check_cooperative(cudabook::any(kernel), config);
    if (error != cudaSuccess) return error;
    return cudabook::launch_pointer(kernel, config, args, std::index_sequence_for<P...>{});
}
template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(P...), A&&... args) {
    cudabook::launch({"cudaLaunchKernelEx", __builtin_FILE(), 0},
                     {config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream},
                     [&] { kernel(static_cast<P>(args)...); });
    return cudaPeekAtLastError();
}

}  // namespace cudabook_cuda
