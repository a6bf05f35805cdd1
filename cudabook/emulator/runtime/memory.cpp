// "Device" memory: ordinary memory with the alignment that cudaMalloc gives, filled so that reading it early shows.
#include "block.h"
#include "pending.h"
#include "regions.h"

#include "cudabook/api.h"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unistd.h>

namespace {

constexpr size_t alignment = 256;
std::mutex guard;
constexpr size_t device_bytes = size_t(16) << 30;
size_t used = 0;

size_t room_of(size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

cudaError_t allocate(void** pointer, size_t bytes, const char* call, void* caller, bool pinned = false) {
    if (!pointer)
        return cudabook::set_error(cudaErrorInvalidValue, std::string(call) + ": the address of the pointer is null.");
    CUDABOOK_UNLESS_STICKY;
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    std::lock_guard lock(guard);
    size_t room = room_of(bytes);
    // Twice the alignment more than asked for, so that what follows belongs to nobody. Pinned memory has whole pages.
    size_t unit = pinned ? size_t(getpagesize()) : alignment, whole = (room + 2 * alignment + unit - 1) / unit * unit;
    void* p = room <= device_bytes - used ? aligned_alloc(unit, whole) : nullptr;
    if (!p)
        return cudabook::set_error(cudaErrorMemoryAllocation, std::string(call) + ": " + std::to_string(bytes) +
                                                                  " bytes asked for, " +
                                                                  std::to_string(device_bytes - used) + " left.");
    cudabook::fill_with_poison(p, room);
    cudabook::add_region({reinterpret_cast<uintptr_t>(p), bytes, std::string("memory of ") + call, 1, false,
                          reinterpret_cast<uintptr_t>(caller), pinned});
    used += room;
    *pointer = p;
    return cudaSuccess;
}

cudaError_t release(void* pointer, const char* call) {
    if (!pointer) return cudaSuccess;
    cudabook::host_waits_for_all();
    std::lock_guard lock(guard);
    auto begin = reinterpret_cast<uintptr_t>(pointer);
    const cudabook::Region* region = cudabook::region_at(begin);
    size_t bytes = region && region->begin == begin && region->made_at ? region->bytes : 0;
    if (!bytes || !cudabook::free_region(begin))
        return cudabook::set_error(
            cudaErrorInvalidValue,
            std::string(call) + ": the pointer was not given out by cudaMalloc, or has been freed already.");
    used -= room_of(bytes);
    if (cudabook::sanitizer) return cudabook::sticky_error();  // kept, so that a later use is seen
    cudabook::forget_region(begin);
    free(pointer);
    return cudabook::sticky_error();
}

// Memory that is known must hold all of what is copied or set; of other memory nothing can be said.
bool holds(const void* p, size_t bytes, bool store, const char* call, void* caller) {
    auto begin = reinterpret_cast<uintptr_t>(p);
    const cudabook::Region* region = cudabook::region_at(begin);
    if (!region || (!region->freed && begin + bytes <= region->begin + region->bytes)) return true;
    std::string why =
        std::string(call) + " " + (store ? "writes " : "reads ") + std::to_string(bytes) + " bytes of memory that " +
        (region->freed ? "has been freed" : "has " + std::to_string(region->begin + region->bytes - begin) + " left") +
        ": " + region->name;
    if (cudabook::sanitizer) {
        cudabook::Report r{"memcheck",
                           region->freed ? "use after free"
                           : store       ? "store out of bounds"
                                         : "load out of bounds",
                           why, region->name, "global"};
        r.pc = reinterpret_cast<uintptr_t>(caller);
        r.index = (long long)((region->freed ? begin - region->begin : region->bytes) / region->element);
        cudabook::sanitizer->add(r);
    }
    cudabook::set_error(cudaErrorInvalidValue, why + ".");
    return false;
}

// Where the host does not wait, data for pinned memory come later.
cudaError_t copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, const char* call, void* caller,
                 cudaStream_t stream = nullptr, bool waits = true) {
    CUDABOOK_UNLESS_STICKY;
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return cudabook::set_error(cudaErrorInvalidMemcpyDirection,
                                   std::string(call) + ": the direction is none of cudaMemcpyKind's.");
    if (bytes && (!to || !from))
        return cudabook::set_error(cudaErrorInvalidValue, std::string(call) + ": a pointer is null.");
    if (!holds(to, bytes, true, call, caller) || !holds(from, bytes, false, call, caller)) return cudaErrorInvalidValue;
    cudabook::DeviceView view(stream);
    const cudabook::Region* region = cudabook::region_at(reinterpret_cast<uintptr_t>(to));
    if (waits || !bytes || !region || !region->pinned) memmove(to, from, bytes);
    else cudabook::copy_later(to, from, bytes, stream, reinterpret_cast<uintptr_t>(caller));
    return cudaSuccess;
}

cudaError_t set(void* to, int value, size_t bytes, const char* call, void* caller) {
    CUDABOOK_UNLESS_STICKY;
    if (bytes && !to) return cudabook::set_error(cudaErrorInvalidValue, std::string(call) + ": the pointer is null.");
    if (!holds(to, bytes, true, call, caller)) return cudaErrorInvalidValue;
    memset(to, value, bytes);
    return cudaSuccess;
}

}  // namespace

inline namespace cudabook_cuda {

cudaError_t cudaMalloc(void** p, size_t bytes) { return allocate(p, bytes, "cudaMalloc", __builtin_return_address(0)); }
cudaError_t cudaMallocManaged(void** p, size_t bytes, unsigned) {
    return allocate(p, bytes, "cudaMallocManaged", __builtin_return_address(0));
}
cudaError_t cudaMallocHost(void** p, size_t bytes, unsigned) {
    return allocate(p, bytes, "cudaMallocHost", __builtin_return_address(0), true);
}
cudaError_t cudaHostAlloc(void** p, size_t bytes, unsigned) {
    return allocate(p, bytes, "cudaHostAlloc", __builtin_return_address(0), true);
}
cudaError_t cudaMallocAsync(void** p, size_t bytes, cudaStream_t) {
    return allocate(p, bytes, "cudaMallocAsync", __builtin_return_address(0));
}
cudaError_t cudaFree(void* p) { return release(p, "cudaFree"); }
cudaError_t cudaFreeHost(void* p) { return release(p, "cudaFreeHost"); }
cudaError_t cudaFreeAsync(void* p, cudaStream_t) { return release(p, "cudaFreeAsync"); }

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
    std::lock_guard lock(guard);
    *free_bytes = device_bytes - used;
    *total_bytes = device_bytes;
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    cudabook::host_waits(cudabook::now(nullptr));
    return copy(to, from, bytes, kind, "cudaMemcpy", __builtin_return_address(0));
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return copy(to, from, bytes, kind, "cudaMemcpyAsync", __builtin_return_address(0), stream, false);
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
    if (width > to_pitch || width > from_pitch)
        return cudabook::set_error(cudaErrorInvalidPitchValue, "cudaMemcpy2D: a row is wider than its pitch.");
    for (size_t row = 0; row < height; ++row) {
        cudaError_t error =
            copy(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch, width,
                 kind, "cudaMemcpy2D", __builtin_return_address(0));
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}
cudaError_t cudaMemset(void* to, int value, size_t bytes) {
    return set(to, value, bytes, "cudaMemset", __builtin_return_address(0));
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t) {
    return set(to, value, bytes, "cudaMemsetAsync", __builtin_return_address(0));
}

}  // namespace cudabook_cuda
