// While sanitizing, new CPU tensors come from here: memory with unused room around it, filled with poison, and known to
// the runtime. So a step out of an output that the operator allocated is seen, and a read of what nobody wrote.
#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <cstdlib>

#include "runtime/regions.h"

extern "C" void cudabook_region(uintptr_t begin, size_t bytes, const char* name, unsigned element);
extern "C" void cudabook_forget_region(uintptr_t begin);

namespace {

constexpr size_t room = 512;

void release(void* p) {
    if (!p) return;
    cudabook_forget_region(reinterpret_cast<uintptr_t>(p));
    std::free(static_cast<char*>(p) - room);
}

struct Guarded final : c10::Allocator {
    c10::DataPtr allocate(size_t bytes) override {
        size_t padded = (bytes + room - 1) / room * room;
        char* p = static_cast<char*>(std::aligned_alloc(room, padded + 2 * room)) + room;
        cudabook::fill_with_poison(p, padded);
        cudabook_region(reinterpret_cast<uintptr_t>(p), bytes, "a tensor", 1);
        return {p, p, &release, c10::Device(c10::kCPU)};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &release; }
    void copy_data(void* to, const void* from, size_t bytes) const override { default_copy_data(to, from, bytes); }
};

}  // namespace

extern "C" void cudabook_guard_tensors(int on) {
    static Guarded guarded;
    static c10::Allocator* usual = c10::GetCPUAllocator();
    c10::SetCPUAllocator(on ? static_cast<c10::Allocator*>(&guarded) : usual, 100);
}
