// Copies to the host that are under way: pending.cpp.
#pragma once
#include "cudabook/api.h"

#include <cstdint>
#include <vector>

namespace cudabook {

// How far a stream had come.
struct Point {
    cudaStream_t stream;
    uint64_t number;
    bool blocking;
};
Point now(cudaStream_t stream);
bool is_blocking(cudaStream_t stream);  // not made with cudaStreamNonBlocking
inline bool is_default(cudaStream_t stream) { return reinterpret_cast<uintptr_t>(stream) <= 1; }

void copy_later(void* to, const void* from, size_t bytes, cudaStream_t stream, uintptr_t pc);
void comes_after(cudaStream_t stream, Point point);
void host_waits(Point point);
void host_waits_for_all();
bool host_looked_too_early(const void* address, uintptr_t pc);  // reports it, and lets the access pass

class DeviceView {
public:
    explicit DeviceView(cudaStream_t stream);
    ~DeviceView();

private:
    std::vector<uint64_t> shown_;
};

}  // namespace cudabook
