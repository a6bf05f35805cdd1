// What can be asked of a kernel: attributes, and how many of its blocks an SM of compute capability 9.0 can hold.
#include "block.h"

#include "cudabook/kernels.h"

#include <algorithm>

namespace cudabook {
namespace {

Kernel* described(AnyKernel kernel) {
    Kernel* description = nullptr;
    probe = &description;
    if (kernel) kernel();  // returns at once: see CUDABOOK_KERNEL
    probe = nullptr;
    return description;
}

cudaError_t not_a_kernel(const char* call) {
    return set_error(cudaErrorInvalidDeviceFunction, std::string(call) + ": the pointer is no __global__ function's.");
}

constexpr unsigned sm_threads = 2048, sm_blocks = 32, sm_registers = 65536, sms = 132;
constexpr size_t sm_shared = 228 * 1024, reserved_a_block = 1024, shared_unit = 128;

}  // namespace

// CUDA C++ Programming Guide, "Technical Specifications": 2048 threads, 32 blocks and 228 KiB of shared memory an SM,
// of which each block takes 1 KiB more than it asks for. Registers bound it too, but how many a thread takes is ptxas's
// decision; a promise of __launch_bounds__(threads, blocks) is one that ptxas keeps.
Occupancy occupancy(unsigned threads, size_t shared) {
    unsigned warps = (threads + 31) / 32;
    size_t a_block = (shared + reserved_a_block + shared_unit - 1) / shared_unit * shared_unit;
    Occupancy result{sm_blocks, "blocks"};
    if (unsigned n = sm_threads / 32 / warps; n < result.blocks) result = {n, "threads"};
    if (unsigned n = unsigned(sm_shared / a_block); n < result.blocks) result = {n, "shared memory"};
    return result;
}

cudaError_t set_attribute(AnyKernel function, int attribute, int value) {
    Kernel* kernel = described(function);
    if (!kernel) return not_a_kernel("cudaFuncSetAttribute");
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    if (value < 0 || size_t(value) + kernel->static_shared > shared_arena_bytes)
        return set_error(cudaErrorInvalidValue,
                         "cudaFuncSetAttribute: " + std::to_string(value) +
                             " bytes of dynamic shared memory were asked for; a block can have at most " +
                             std::to_string(shared_arena_bytes) + ".");
    kernel->max_dynamic_shared = size_t(value);
    return cudaSuccess;
}

cudaError_t get_attributes(cudaFuncAttributes* attributes, AnyKernel function) {
    const Kernel* kernel = described(function);
    if (!kernel) return not_a_kernel("cudaFuncGetAttributes");
    *attributes = {};
    attributes->sharedSizeBytes = kernel->static_shared;
    attributes->maxThreadsPerBlock = int(kernel->max_threads);
    attributes->numRegs =
        kernel->min_blocks
            ? int(std::min(255u, sm_registers / kernel->min_blocks / ((kernel->max_threads + 31) / 32 * 32)))
            : 0;
    attributes->ptxVersion = attributes->binaryVersion = 90;
    attributes->maxDynamicSharedSizeBytes = int(std::min(kernel->max_dynamic_shared, shared_arena_bytes));
    attributes->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
    return cudaSuccess;
}

cudaError_t resident_blocks(int* blocks, AnyKernel function, int block_size, size_t dynamic_shared) {
    const Kernel* kernel = described(function);
    if (!kernel) return not_a_kernel("cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    if (block_size <= 0) return set_error(cudaErrorInvalidValue, "A block of no threads has no occupancy.");
    size_t shared = kernel->static_shared + dynamic_shared;
    bool possible = unsigned(block_size) <= kernel->max_threads && shared <= shared_arena_bytes;
    *blocks = possible ? int(occupancy(unsigned(block_size), shared).blocks) : 0;
    return cudaSuccess;
}

// The largest block, in whole warps, of those that fill an SM with the most threads.
cudaError_t best_block_size(int* min_grid, int* block_size, AnyKernel function, size_t (*shared)(int, const void*),
                            const void* context, int limit) {
    const Kernel* kernel = described(function);
    if (!kernel) return not_a_kernel("cudaOccupancyMaxPotentialBlockSize");
    int most = int(kernel->max_threads), best_threads = 0, blocks = 0;
    if (limit > 0) most = std::min(most, limit);
    *block_size = 0;
    for (int size = (most + 31) / 32 * 32; size > 0; size -= 32) {
        int threads = std::min(size, most);
        cudaError_t error = resident_blocks(&blocks, function, threads, shared(threads, context));
        if (error != cudaSuccess) return error;
        if (blocks * threads > best_threads) best_threads = blocks * threads, *block_size = threads, *min_grid = blocks;
    }
    *min_grid *= int(sms);
    return cudaSuccess;
}

cudaError_t free_shared(size_t* bytes, AnyKernel function, int blocks, int block_size) {
    const Kernel* kernel = described(function);
    if (!kernel) return not_a_kernel("cudaOccupancyAvailableDynamicSMemPerBlock");
    if (blocks <= 0 || block_size <= 0)
        return set_error(cudaErrorInvalidValue, "The numbers of blocks and of threads must be at least 1.");
    size_t each = sm_shared / size_t(blocks) / shared_unit * shared_unit;
    size_t taken = reserved_a_block + kernel->static_shared;
    *bytes = std::min(each > taken ? each - taken : 0, shared_arena_bytes - kernel->static_shared);
    return cudaSuccess;
}

cudaError_t check_cooperative(AnyKernel function, const Config& config) {
    int blocks = 0;
    unsigned threads = config.block.x * config.block.y * config.block.z;
    cudaError_t error = resident_blocks(&blocks, function, int(threads), config.dynamic_shared);
    if (error != cudaSuccess) return error;
    uint64_t asked = uint64_t(config.grid.x) * config.grid.y * config.grid.z, room = uint64_t(blocks) * sms;
    if (asked <= room) return cudaSuccess;
    return set_error(cudaErrorCooperativeLaunchTooLarge, "A cooperative launch of " + std::to_string(asked) +
                                                             " blocks: all must be on the device at once, which " +
                                                             "holds " + std::to_string(room) + " of this size.");
}

}  // namespace cudabook
