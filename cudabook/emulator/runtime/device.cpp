// Streams, events and the one device. Work is done when it is asked for; only what it copies to the host waits until
// the host has waited for it.
#include "block.h"
#include "pending.h"

#include <chrono>
#include <cstring>
#include <mutex>
#include <set>

inline namespace cudabook_cuda {
struct CUevent_st {
    std::chrono::steady_clock::time_point time;
    bool recorded = false, timed = true;
    cudabook::Point point{};
};
struct CUstream_st {
    int priority = 0;
    bool blocking = true;
};
}  // namespace cudabook_cuda

namespace {

std::mutex guard;
std::set<void*> handles;  // streams and events that exist

template <class T>
cudaError_t keep(T** out, T* made) {
    CUDABOOK_UNLESS_STICKY;
    std::lock_guard lock(guard);
    handles.insert(made);
    *out = made;
    return cudaSuccess;
}

bool exists(void* handle) {
    std::lock_guard lock(guard);
    return handles.count(handle) != 0;
}

// The default stream has three names: 0, cudaStreamLegacy and cudaStreamPerThread.
cudaError_t check(cudaStream_t stream) {
    CUDABOOK_UNLESS_STICKY;
    if (reinterpret_cast<uintptr_t>(stream) <= 2 || exists(stream)) return cudaSuccess;
    return cudabook::set_error(cudaErrorInvalidResourceHandle, "The stream was never created, or has been destroyed.");
}
cudaError_t check(cudaEvent_t event) {
    CUDABOOK_UNLESS_STICKY;
    if (exists(event)) return cudaSuccess;
    return cudabook::set_error(cudaErrorInvalidResourceHandle, "The event was never created, or has been destroyed.");
}

template <class T>
cudaError_t destroy(T* handle) {
    if (!exists(handle))
        return cudabook::set_error(cudaErrorInvalidResourceHandle,
                                   "What is destroyed was never created, or is gone already.");
    std::lock_guard lock(guard);
    handles.erase(handle);
    delete handle;
    return cudaSuccess;
}

}  // namespace

bool cudabook::is_blocking(cudaStream_t stream) { return is_default(stream) || (exists(stream) && stream->blocking); }

inline namespace cudabook_cuda {

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return keep(stream, new CUstream_st); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    return keep(stream, new CUstream_st{priority, !(flags & cudaStreamNonBlocking)});
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return destroy(stream); }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    cudaError_t error = check(stream);
    if (error == cudaSuccess) cudabook::host_waits(cudabook::now(stream));
    return error;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    cudaError_t error = check(stream);
    if (error == cudaSuccess) error = check(event);
    if (error == cudaSuccess && event->recorded) cudabook::comes_after(stream, event->point);
    return error;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void*), void* data) {
    cudaError_t error = check(stream);
    if (error == cudaSuccess) cudabook::host_waits(cudabook::now(stream)), function(data);
    return error;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return keep(event, new CUevent_st); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    auto* made = new CUevent_st;
    made->timed = !(flags & cudaEventDisableTiming);
    return keep(event, made);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) { return destroy(event); }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    cudaError_t error = check(event);
    if (error == cudaSuccess) error = check(stream);
    if (error != cudaSuccess) return error;
    event->recorded = true;
    event->point = cudabook::now(stream);
    event->time = std::chrono::steady_clock::now();
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    cudaError_t error = check(event);
    if (error == cudaSuccess && event->recorded) cudabook::host_waits(event->point);
    return error;
}
cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    cudaError_t error = check(start);
    if (error == cudaSuccess) error = check(end);
    if (error != cudaSuccess) return error;
    if (!start->recorded || !end->recorded || !start->timed || !end->timed)
        return cudabook::set_error(
            cudaErrorInvalidResourceHandle,
            "cudaEventElapsedTime: an event was not recorded, or was made with cudaEventDisableTiming.");
    *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
    *count = 1;
    return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
    *device = 0;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
    return device == 0 ? cudaSuccess
                       : cudabook::set_error(cudaErrorInvalidDevice, "The emulator has one device, number 0.");
}

// Limits of compute capability 9.0: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
    cudaError_t error = cudaSetDevice(device);
    if (error != cudaSuccess) return error;
    *p = {};
    strcpy(p->name, "cudabook emulator");
    p->totalGlobalMem = size_t(16) << 30;
    p->sharedMemPerBlock = 48 << 10;
    p->sharedMemPerBlockOptin = 227 << 10;
    p->sharedMemPerMultiprocessor = 228 << 10;
    p->reservedSharedMemPerBlock = 1 << 10;
    p->totalConstMem = 64 << 10;
    p->regsPerBlock = p->regsPerMultiprocessor = 65536;
    p->warpSize = 32;
    p->maxThreadsPerBlock = 1024;
    p->maxThreadsPerMultiProcessor = 2048;
    p->maxBlocksPerMultiProcessor = 32;
    p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
    p->maxThreadsDim[2] = 64;
    p->maxGridSize[0] = 2147483647;
    p->maxGridSize[1] = p->maxGridSize[2] = 65535;
    p->major = 9;
    p->multiProcessorCount = 132;
    p->l2CacheSize = 50 << 20;
    p->unifiedAddressing = p->managedMemory = p->canMapHostMemory = 1;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    cudaDeviceProp p;
    cudaError_t error = cudaGetDeviceProperties(&p, device);
    if (error != cudaSuccess) return error;
    switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
        case cudaDevAttrMaxBlockDimX: *value = p.maxThreadsDim[0]; break;
        case cudaDevAttrMaxBlockDimY: *value = p.maxThreadsDim[1]; break;
        case cudaDevAttrMaxBlockDimZ: *value = p.maxThreadsDim[2]; break;
        case cudaDevAttrMaxGridDimX: *value = p.maxGridSize[0]; break;
        case cudaDevAttrMaxGridDimY: *value = p.maxGridSize[1]; break;
        case cudaDevAttrMaxGridDimZ: *value = p.maxGridSize[2]; break;
        case cudaDevAttrMaxSharedMemoryPerBlock: *value = int(p.sharedMemPerBlock); break;
        case cudaDevAttrTotalConstantMemory: *value = int(p.totalConstMem); break;
        case cudaDevAttrWarpSize: *value = p.warpSize; break;
        case cudaDevAttrMaxRegistersPerBlock: *value = p.regsPerBlock; break;
        case cudaDevAttrClockRate: *value = 1980000; break;  // kHz, an H200's
        case cudaDevAttrIntegrated: *value = p.integrated; break;
        case cudaDevAttrComputeMode: *value = cudaComputeModeDefault; break;
        case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
        case cudaDevAttrL2CacheSize: *value = p.l2CacheSize; break;
        case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
        case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
        case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = int(p.sharedMemPerMultiprocessor); break;
        case cudaDevAttrMaxRegistersPerMultiprocessor: *value = p.regsPerMultiprocessor; break;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = int(p.sharedMemPerBlockOptin); break;
        default:
            return cudabook::set_error(cudaErrorInvalidValue,
                                       "cudaDeviceGetAttribute: the emulator does not know this attribute.");
    }
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
    cudabook::host_waits_for_all();
    return cudabook::sticky_error();
}
cudaError_t cudaDeviceReset() {
    cudabook::recover();
    return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = 13000;
    return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }

}  // namespace cudabook_cuda
