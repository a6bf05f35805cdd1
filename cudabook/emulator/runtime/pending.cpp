// Copies into pinned host memory by cudaMemcpyAsync: the host finds the data there when it has waited for them, not
// before. Until then the memory holds what says "not written". Kernels and copies that come later on the same stream,
// or after its event, find them. While kernels are sanitized, a host that looks too early is caught, by its memory
// page.
#include "pending.h"

#include "block.h"
#include "regions.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>
#include <sys/mman.h>
#include <unistd.h>

namespace cudabook {
namespace {

struct Copy {
    cudaStream_t stream;
    uint64_t number;
    char* to;
    std::vector<char> data;
    uintptr_t pc;
};
struct Edge {  // from here on, the stream comes after another's work up to a number
    cudaStream_t stream;
    uint64_t number;
    Point after;
};

std::recursive_mutex guard;
std::vector<Copy> copies;
std::vector<Edge> edges;
uint64_t clock_now = 0;

void protect(const Copy& copy, bool on) {
    if (!sanitizer) return;
    uintptr_t page = uintptr_t(getpagesize()), begin = reinterpret_cast<uintptr_t>(copy.to) / page * page;
    uintptr_t end = reinterpret_cast<uintptr_t>(copy.to) + copy.data.size();
    mprotect(reinterpret_cast<void*>(begin), end - begin, on ? PROT_NONE : PROT_READ | PROT_WRITE);
}

void deliver(const Copy& copy) {
    protect(copy, false);
    memcpy(copy.to, copy.data.data(), copy.data.size());
}

// Everything that has happened when a stream has come to a point: the stream's own copies, what it waited for, and by
// the default stream's rule all blocking streams.
void collect(Point point, std::set<cudaStream_t>& seen, std::set<uint64_t>& done) {
    if (!seen.insert(point.stream).second) return;
    for (const Copy& copy : copies)
        if (copy.stream == point.stream && copy.number <= point.number) done.insert(copy.number);
    for (const Edge& edge : edges)
        if (edge.stream == point.stream && edge.number <= point.number) collect(edge.after, seen, done);
    if (!point.blocking) return;
    for (const Copy& copy : copies)
        if (copy.number <= point.number && is_blocking(copy.stream) &&
            (is_default(point.stream) || is_default(copy.stream)))
            done.insert(copy.number);
}

std::set<uint64_t> done_at(Point point) {
    std::set<cudaStream_t> seen;
    std::set<uint64_t> done;
    collect(point, seen, done);
    return done;
}

void forget_old_edges() {
    if (copies.empty()) edges.clear();
}

}  // namespace

Point now(cudaStream_t stream) {
    std::lock_guard lock(guard);
    return {stream, clock_now, is_blocking(stream)};
}

void copy_later(void* to, const void* from, size_t bytes, cudaStream_t stream, uintptr_t pc) {
    std::lock_guard lock(guard);
    catch_faults();
    auto* source = static_cast<const char*>(from);
    Copy copy{stream, ++clock_now, static_cast<char*>(to), {source, source + bytes}, pc};
    fill_with_poison(to, bytes);
    copies.push_back(std::move(copy));
    protect(copies.back(), true);
}

void comes_after(cudaStream_t stream, Point point) {
    std::lock_guard lock(guard);
    if (!copies.empty()) edges.push_back({stream, clock_now, point});
}

void host_waits(Point point) {
    std::lock_guard lock(guard);
    if (copies.empty()) return;
    std::set<uint64_t> done = done_at(point);
    for (const Copy& copy : copies)
        if (done.count(copy.number)) deliver(copy);
    std::erase_if(copies, [&](const Copy& copy) { return done.count(copy.number); });
    forget_old_edges();
}

void host_waits_for_all() {
    std::lock_guard lock(guard);
    for (const Copy& copy : copies) deliver(copy);
    copies.clear();
    forget_old_edges();
}

// While it lives, the device sees what its stream has come after.
DeviceView::DeviceView(cudaStream_t stream) {
    std::lock_guard lock(guard);
    if (copies.empty()) return;
    std::set<uint64_t> done = done_at(now(stream));
    for (const Copy& copy : copies) {
        protect(copy, false);
        if (!done.count(copy.number)) continue;
        memcpy(copy.to, copy.data.data(), copy.data.size());
        shown_.push_back(copy.number);
    }
}
DeviceView::~DeviceView() {
    std::lock_guard lock(guard);
    for (uint64_t number : shown_) {
        auto copy = std::find_if(copies.begin(), copies.end(), [&](const Copy& c) { return c.number == number; });
        if (copy == copies.end()) continue;
        copy->data.assign(copy->to, copy->to + copy->data.size());  // a kernel may have written there since
        fill_with_poison(copy->to, copy->data.size());
    }
    for (const Copy& copy : copies) protect(copy, true);
}

bool host_looked_too_early(const void* address, uintptr_t pc) {
    std::lock_guard lock(guard);
    auto* p = static_cast<const char*>(address);
    bool ours = false;
    uintptr_t page = uintptr_t(getpagesize());
    for (const Copy& copy : copies) {
        auto begin = reinterpret_cast<uintptr_t>(copy.to) / page * page, at = reinterpret_cast<uintptr_t>(p);
        if (at < begin || at >= (reinterpret_cast<uintptr_t>(copy.to) + copy.data.size() + page - 1) / page * page)
            continue;
        protect(copy, false);
        ours = true;
        if (p < copy.to || p >= copy.to + copy.data.size()) continue;
        const Region* region = region_at(at);
        Report r{"racecheck", "host access before the wait", "", region ? region->name : "pinned memory", "host"};
        r.pc = pc + 1, r.other_pc = copy.pc;
        r.index = p - copy.to;
        r.why = "the host uses byte " + std::to_string(r.index) +
                " of what cudaMemcpyAsync copies there, and has not waited for the stream or an event behind the copy";
        sanitizer->add(r);
    }
    return ours;
}

}  // namespace cudabook
