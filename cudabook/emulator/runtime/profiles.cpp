// The profiles of the launches between two calls from Python.
#include "block.h"

namespace cudabook {
namespace {

bool watching = false;  // changed between launches only
std::string kept;       // a JSON list, without its closing bracket

std::string quoted(const char* text) {
    std::string out = "\"";
    for (; *text; ++text) {
        if (*text == '"' || *text == '\\') out += '\\';
        out += *text;
    }
    return out + "\"";
}

std::string triple(dim3 v) {
    return "[" + std::to_string(v.x) + ", " + std::to_string(v.y) + ", " + std::to_string(v.z) + "]";
}

}  // namespace

bool profiling() { return watching; }

void keep_profile(const Launch& launch, const Profile& profile) {
    const Kernel* kernel = launch.kernel;
    kept += kept.empty() ? "[" : ",\n";
    kept += "{\"kernel\": " + quoted(launch.site.text) +
            ", \"signature\": " + quoted(kernel ? kernel->signature : launch.site.text) +
            ", \"grid\": " + triple(launch.config.grid) + ", \"block\": " + triple(launch.config.block) +
            ", \"dynamic_shared\": " + std::to_string(launch.config.dynamic_shared) +
            ", \"static_shared\": " + std::to_string(kernel ? kernel->static_shared : 0) +
            ", \"accesses\": " + profile.json() + "}";
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
