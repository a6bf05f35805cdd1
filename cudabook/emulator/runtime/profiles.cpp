// The profiles of the launches between two calls from Python.
#include "block.h"
#include "regions.h"

#include <cstdlib>
#include <dlfcn.h>
#include <set>

namespace cudabook {
namespace {

bool watching = false;  // changed between launches only
std::string kept;       // a JSON list, without its closing bracket
std::set<uintptr_t> older;  // regions that were there before the sanitizer was: no leaks of what it watches

std::string triple(dim3 v) {
    return "[" + std::to_string(v.x) + ", " + std::to_string(v.y) + ", " + std::to_string(v.z) + "]";
}

}  // namespace

bool profiling() { return watching; }

void keep_profile(const Launch& launch, const Profile& profile) {
    const Kernel* kernel = launch.kernel;
    size_t fixed = kernel ? kernel->static_shared : 0;
    Occupancy held = occupancy(launch.block_size, fixed + launch.config.dynamic_shared);
    Dl_info library{};
    dladdr(reinterpret_cast<void*>(launch.entry), &library);
    uintptr_t text_offset = profile.text.begin - reinterpret_cast<uintptr_t>(library.dli_fbase);
    kept += kept.empty() ? "[" : ",\n";
    kept += "{\"kernel\": " + quoted(launch.site.text) +
            ", \"signature\": " + quoted(kernel ? kernel->signature : launch.site.text) +
            ", \"grid\": " + triple(launch.config.grid) + ", \"block\": " + triple(launch.config.block) +
            ", \"dynamic_shared\": " + std::to_string(launch.config.dynamic_shared) +
            ", \"static_shared\": " + std::to_string(fixed) + ", \"blocks_per_sm\": " + std::to_string(held.blocks) +
            ", \"limited_by\": " + quoted(held.limited) +
            ", \"library\": " + quoted(library.dli_fname ? library.dli_fname : "") +
            ", \"text_offset\": " + std::to_string(text_offset) + ", \"entered\": " + profile.entered_json() +
            ", \"tensor_flops\": " + std::to_string(profile.tensor_flops) + ", \"accesses\": " + profile.json() + "}";
}

}  // namespace cudabook

extern "C" __attribute__((visibility("default"))) void cudabook_profile_begin() {
    cudabook::kept.clear();
    cudabook::watching = true;
}

// The profiles since the beginning, a JSON list.
extern "C" __attribute__((visibility("default"))) const char* cudabook_profile_end() {
    cudabook::watching = false;
    cudabook::kept += cudabook::kept.empty() ? "[]" : "]";
    return cudabook::kept.c_str();
}

// --- sanitizing

extern "C" __attribute__((visibility("default"))) void cudabook_sanitize_begin() {
    cudabook::sanitizer = new cudabook::Sanitizer;
    cudabook::older.clear();
    for (const cudabook::Region& region : cudabook::all_regions()) cudabook::older.insert(region.begin);
}

// `bytes` at `begin` are `name`, of elements of `element` bytes; kernels may use them until they are forgotten.
extern "C" __attribute__((visibility("default"))) void cudabook_region(uintptr_t begin, size_t bytes, const char* name,
                                                                       unsigned element) {
    if (bytes) cudabook::add_region({begin, bytes, name, element, false, 0});
}
extern "C" __attribute__((visibility("default"))) void cudabook_forget_region(uintptr_t begin) {
    cudabook::forget_region(begin);
}

// The reports since the beginning, a JSON list; memory of cudaMalloc that is still there counts as a leak.
extern "C" __attribute__((visibility("default"))) const char* cudabook_sanitize_end() {
    using namespace cudabook;
    static std::string text;
    sanitizer->start_launch("");
    for (const Region& region : all_regions()) {
        if (region.made_at && region.freed) {
            forget_region(region.begin);
            free(reinterpret_cast<void*>(region.begin));
        } else if (region.made_at && !older.count(region.begin)) {
            Report r{"memcheck", "leak", std::to_string(region.bytes) + " bytes were never freed", region.name,
                     "global"};
            r.pc = region.made_at;
            sanitizer->add(r);
        }
    }
    text = sanitizer->json();
    delete sanitizer;
    sanitizer = nullptr;
    recover();
    return text.c_str();
}
