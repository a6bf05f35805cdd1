#include "regions.h"

#include <link.h>
#include <map>
#include <mutex>

namespace cudabook {
namespace {

std::recursive_mutex guard;
std::map<uintptr_t, Region> regions;

}  // namespace

void fill_with_poison(void* memory, size_t bytes) {
    auto* p = static_cast<unsigned char*>(memory);
    for (size_t i = 0; i < bytes; ++i) p[i] = (poison >> 8 * (i % 4)) & 0xff;
}

void add_region(Region region) {
    std::lock_guard lock(guard);
    uintptr_t end = region.begin + region.bytes;
    // Freed memory that was handed out again is not freed any more.
    for (auto it = regions.lower_bound(region.begin); it != regions.end() && it->first < end;)
        it = it->second.freed ? regions.erase(it) : std::next(it);
    regions[region.begin] = std::move(region);
}

bool free_region(uintptr_t begin) {
    std::lock_guard lock(guard);
    auto it = regions.find(begin);
    if (it == regions.end() || it->second.freed) return false;
    it->second.freed = true;
    return true;
}

void forget_region(uintptr_t begin) {
    std::lock_guard lock(guard);
    regions.erase(begin);
}

const Region* region_before(uintptr_t address) {
    std::lock_guard lock(guard);
    auto it = regions.upper_bound(address);
    return it == regions.begin() ? nullptr : &std::prev(it)->second;
}

const Region* region_after(uintptr_t address) {
    std::lock_guard lock(guard);
    auto it = regions.upper_bound(address);
    return it == regions.end() ? nullptr : &it->second;
}

const Region* region_at(uintptr_t address) {
    const Region* region = region_before(address);
    return region && address - region->begin < region->bytes ? region : nullptr;
}

bool in_program(uintptr_t address, bool written) {
    struct Wanted {
        uintptr_t address;
        unsigned flags;
    } wanted{address, written ? unsigned(PF_W) : 0};
    auto visit = [](dl_phdr_info* info, size_t, void* data) -> int {
        const Wanted& wanted = *static_cast<Wanted*>(data);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
            const auto& segment = info->dlpi_phdr[i];
            if (segment.p_type == PT_LOAD && (segment.p_flags & wanted.flags) == wanted.flags &&
                wanted.address - (info->dlpi_addr + segment.p_vaddr) < segment.p_memsz)
                return 1;
        }
        return 0;
    };
    return dl_iterate_phdr(visit, &wanted) != 0;
}

std::vector<Region> all_regions() {
    std::lock_guard lock(guard);
    std::vector<Region> all;
    for (auto& [begin, region] : regions) all.push_back(region);
    return all;
}

}  // namespace cudabook
