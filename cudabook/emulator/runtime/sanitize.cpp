#include "sanitize.h"

#include "block.h"
#include "regions.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>

namespace cudabook {

Sanitizer* sanitizer = nullptr;

namespace {

// The bytes of an access that fall into the aligned word at `word`, as a mask.
unsigned bytes_in(uintptr_t word, const Access& a) {
    unsigned mask = 0;
    for (unsigned i = 0; i < 4; ++i) mask |= unsigned(word + i >= a.address && word + i < a.address + a.size) << i;
    return mask;
}

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + "\"";
}

std::string place(uintptr_t pc) {
    Dl_info info{};
    if (!pc || !dladdr(reinterpret_cast<void*>(pc), &info)) return "null";
    return "[" + quoted(info.dli_fname) + ", " + std::to_string(pc - 1 - reinterpret_cast<uintptr_t>(info.dli_fbase)) +
           "]";
}

}  // namespace

void Sanitizer::start_launch(const std::string& kernel) {
    kernel_ = kernel;
    shared_.resize(arena_size / 4);
    doubts.assign(max_block_threads, {});
    for (Cell& cell : shared_) cell.block = ~uint64_t(0);
    global_.clear();
    fences_.clear();
    atomics_.clear();
}

void Sanitizer::finish_launch() { global_.clear(); }

std::string Sanitizer::where(uintptr_t address, Space space, uintptr_t shared_begin, std::string& name,
                             long long& index) {
    if (space == Space::shared) {
        size_t offset = address - shared_begin, start = 0;
        name = worker->shared_name(offset, start);
        index = (long long)(offset - start);
        return "byte " + std::to_string(index) + " of " + name;
    }
    const Region* region = region_at(address);
    if (!region) region = region_before(address);
    if (!region) {
        name = "unknown memory";
        return name;
    }
    name = region->name;
    index = (long long)((address - region->begin) / region->element);
    return "element " + std::to_string(index) + " of " + name;
}

bool Sanitizer::allowed(const Access& a, const Party& who, uintptr_t shared_begin, size_t shared_bytes) {
    Report r{"memcheck", "", "", "", "global"};
    r.pc = a.pc, r.block = who.block, r.thread = who.thread;
    bool store = a.kind == Kind::store;
    std::string access = (store                    ? "a store of "
                          : a.kind == Kind::atomic ? "an atomic on "
                                                   : "a load of ") +
                         std::to_string(a.size) + " bytes ";
    if (a.address % a.size != 0) {
        r.kind = "misaligned access";
        std::string at = where(a.address, a.address - shared_begin < shared_bytes ? Space::shared : Space::global,
                               shared_begin, r.name, r.index);
        r.why = access + "at " + at + ", whose address is no multiple of " + std::to_string(a.size);
        add(r);
        return false;
    }
    if (a.address - shared_begin < shared_bytes) {
        if (worker->shared_is_declared(a.address - shared_begin, a.size)) return true;
        r.space = "shared";
        r.kind = store ? "shared store out of bounds" : "shared load out of bounds";
        std::string at = where(a.address, Space::shared, shared_begin, r.name, r.index);
        r.why = access + "at " + at + ", beyond what the kernel declared and the launch asked for";
        add(r);
        return false;
    }
    const Region* region = region_at(a.address);
    if (region && !region->freed && a.address + a.size <= region->begin + region->bytes) return true;
    if (!region && in_program(a.address)) return true;
    if (region && region->freed) {
        r.kind = "use after free";
        r.name = region->name;
        r.index = (long long)((a.address - region->begin) / region->element);
        r.why = access + "in memory that has been freed: element " + std::to_string(r.index) + " of " + r.name;
        add(r);
        return false;
    }
    // Not in any region: say which one it is closest to.
    const Region* before = region_before(a.address);
    const Region* nearest = before;
    for (const Region& other : all_regions()) {
        if (other.begin <= a.address) continue;
        if (!nearest || other.begin - a.address < a.address - (nearest->begin + nearest->bytes)) {
            static Region kept;
            kept = other;
            nearest = &kept;
        }
        break;
    }
    r.kind = store ? "store out of bounds" : a.kind == Kind::atomic ? "atomic out of bounds" : "load out of bounds";
    if (!nearest) {
        r.why = access + "at an address that belongs to no memory";
    } else if (nearest->begin > a.address) {
        unsigned long long distance = nearest->begin - a.address;
        r.name = nearest->name;
        r.index = -(long long)((distance + nearest->element - 1) / nearest->element);
        r.why = access + std::to_string(distance) + " bytes before the start of " + r.name + ", at index " +
                std::to_string(r.index);
    } else {
        r.name = nearest->name;
        r.index = (long long)((a.address - nearest->begin) / nearest->element);
        r.why = access + std::to_string(a.address + a.size - (nearest->begin + nearest->bytes)) +
                " bytes past the end of " + r.name + ", at index " + std::to_string(r.index) + " of " +
                std::to_string(nearest->bytes / nearest->element) + " elements";
    }
    add(r);
    return false;
}

// Ordered: a barrier of the block, or a __syncwarp of both lanes, or (between blocks) a fence after the first and an
// atomic before the second, as kernels do that let the last block finish the work.
bool Sanitizer::ordered(const Party& before, const Party& now, Space space, const Worker& w) {
    if (before.block != now.block)
        return space == Space::shared || (fences_[before.block] > before.fence && atomics_[now.block] > 0);
    if (before.thread == now.thread || before.barrier != now.barrier) return true;
    if (before.thread / 32 == now.thread / 32) return w.synced(before.thread, now.thread, before.sync);
    return false;
}

void Sanitizer::happens(const Access& a, const Party& who, Space space, uintptr_t shared_begin, Worker& w) {
    if (a.kind == Kind::atomic) ++atomics_[who.block];
    unsigned missing = 0;
    for (uintptr_t word = a.address & ~uintptr_t(3); word < a.address + a.size; word += 4) {
        unsigned mask = bytes_in(word, a);
        Cell& cell = space == Space::shared ? shared_[(word - shared_begin) / 4] : global_[word];
        if (space == Space::shared && cell.block != who.block) cell = {}, cell.block = who.block;
        if (a.kind == Kind::load) {
            missing |= space == Space::shared ? mask & ~cell.initialised : 0;
            if (space == Space::global && a.size >= 4 && !(cell.initialised & mask) && region_at(word) &&
                *reinterpret_cast<const uint32_t*>(word) == poison)
                missing |= mask;
            if (cell.writer.there && (cell.write_mask & mask) && !ordered(cell.writer, who, space, w))
                race("read after write", cell.writer, who, a.address, space, shared_begin);
            if (cell.reader.there && cell.reader.thread != who.thread) {
                cell.other_reader = cell.reader;
                cell.other_mask = cell.read_mask;
            }
            cell.reader = who;
            cell.read_mask = mask;
            continue;
        }
        cell.initialised |= mask;
        if (a.kind == Kind::atomic) continue;
        for (auto [reader, read] :
             {std::pair(&cell.reader, cell.read_mask), std::pair(&cell.other_reader, cell.other_mask)})
            if (reader->there && (read & mask) && !ordered(*reader, who, space, w)) {
                race("write after read", *reader, who, a.address, space, shared_begin);
                break;
            }
        if (cell.writer.there && (cell.write_mask & mask) && !ordered(cell.writer, who, space, w)) {
            Doubt& doubt = doubts[who.thread];
            doubt = {true, a.address, a.size, {}, cell.writer, who, space};
            memcpy(doubt.before, reinterpret_cast<const void*>(a.address), a.size);
        }
        cell.writer = who;
        cell.write_mask = mask;
    }
    if (missing) {
        Report r{"initcheck", space == Space::shared ? "uninitialised shared load" : "uninitialised load", "", "",
                 space == Space::shared ? "shared" : "global"};
        r.pc = a.pc, r.block = who.block, r.thread = who.thread;
        std::string at = where(a.address, space, shared_begin, r.name, r.index);
        r.why = "a load of " + std::to_string(a.size) + " bytes from " + at + ", which nobody has written";
        add(r);
    }
}

void Sanitizer::settle(Doubt& doubt) {
    if (!doubt.open) return;
    doubt.open = false;
    if (memcmp(doubt.before, reinterpret_cast<const void*>(doubt.address), doubt.size) == 0) return;
    race("write after write", doubt.first, doubt.second, doubt.address, doubt.space, worker->arena_begin());
}

void Sanitizer::race(const char* kind, const Party& before, const Party& now, uintptr_t address, Space space,
                     uintptr_t shared_begin) {
    Report r{"racecheck", kind, "", "", space == Space::shared ? "shared" : "global"};
    r.pc = now.pc, r.other_pc = before.pc, r.block = now.block, r.other_block = before.block;
    r.thread = now.thread, r.other_thread = before.thread;
    std::string at = where(address, space, shared_begin, r.name, r.index);
    const char* missing = before.block != now.block               ? "no order between blocks"
                          : before.thread / 32 == now.thread / 32 ? "no __syncwarp() or __syncthreads()"
                                                                  : "no __syncthreads()";
    r.why = "two threads use " + at + ", one of them writes, and there is " + missing +
            (before.block != now.block ? "" : " between the two");
    add(r);
}

void Sanitizer::add(Report report) {
    for (Report& known : reports_)
        if (known.tool == report.tool && known.kind == report.kind && known.pc == report.pc &&
            known.other_pc == report.other_pc && (report.pc || known.why == report.why)) {
            ++known.count;
            return;
        }
    report.why = kernel_.empty() ? report.why : report.why + " (kernel " + kernel_ + ")";
    reports_.push_back(std::move(report));
}

std::string Sanitizer::json() const {
    std::string text = "[";
    for (const Report& r : reports_) {
        if (text.size() > 1) text += ",\n";
        text += "{\"tool\": " + quoted(r.tool) + ", \"kind\": " + quoted(r.kind) + ", \"why\": " + quoted(r.why) +
                ", \"name\": " + quoted(r.name) + ", \"space\": " + quoted(r.space) + ", \"at\": " + place(r.pc) +
                ", \"other_at\": " + place(r.other_pc) + ", \"block\": " + std::to_string(r.block) +
                ", \"thread\": " + std::to_string(r.thread) + ", \"other_block\": " + std::to_string(r.other_block) +
                ", \"other_thread\": " + std::to_string(r.other_thread) + ", \"index\": " + std::to_string(r.index) +
                ", \"count\": " + std::to_string(r.count) + "}";
    }
    return text + "]";
}

}  // namespace cudabook
