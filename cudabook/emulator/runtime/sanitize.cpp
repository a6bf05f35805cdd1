#include "sanitize.h"

#include "block.h"
#include "regions.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <dlfcn.h>
#include <utility>

namespace cudabook {

Sanitizer* sanitizer = nullptr;

namespace {

constexpr uintptr_t near = 1 << 20;  // bytes: what lies farther from any memory is said to belong to none

std::string place(uintptr_t pc) {
    Dl_info info{};
    if (!pc || !dladdr(reinterpret_cast<void*>(pc), &info)) return "null";
    return "[" + quoted(info.dli_fname) + ", " + std::to_string(pc - 1 - reinterpret_cast<uintptr_t>(info.dli_fbase)) +
           "]";
}

bool all_ones(uintptr_t begin, uintptr_t end) {
    for (; begin < end; ++begin)
        if (*reinterpret_cast<const unsigned char*>(begin) != 0xff) return false;
    return true;
}

}  // namespace

void Sanitizer::start_launch(const std::string& kernel) {
    kernel_ = kernel;
    doubts.assign(max_block_threads, {});
    finish_launch();
    block_sync_.clear();
    thread_sync_.assign(max_block_threads, {});
    clock_ = 1;
    grid_barrier_ = 0;
    running_block_ = 0;
}

void Sanitizer::finish_launch() {
    under_way_.clear();
    global_.clear();
    last_cells_ = nullptr;
}

Cell& Sanitizer::global_cell(uintptr_t word) {
    uintptr_t page = word / (4 * words_of_page);
    if (!last_cells_ || page != last_page_) {
        auto& cells = global_[page];
        if (!cells) cells = std::make_unique<Cell[]>(words_of_page);
        last_page_ = page, last_cells_ = cells.get();
    }
    return last_cells_[word / 4 % words_of_page];
}

std::string Sanitizer::where(uintptr_t address, Space space, uintptr_t shared_begin, std::string& name,
                             long long& index) {
    if (space == Space::shared) {
        size_t offset = address - shared_begin, start = 0;
        name = worker->shared_name(address < shared_begin ? 0 : offset, start);
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
    return (region->element == 1 ? "byte " : "element ") + std::to_string(index) + " of " + name;
}

bool Sanitizer::allowed(const Access& a, const Party& who, uintptr_t shared_begin, size_t shared_bytes) {
    bool in_shared = a.address - shared_begin < shared_bytes;
    const Region* region = in_shared ? nullptr : region_at(a.address);
    bool aligned = a.address % std::bit_floor(a.size) == 0;  // a copy may read a part of what it writes
    if (aligned && in_shared && worker->shared_is_declared(a.address - shared_begin, a.size)) return true;
    if (aligned && region && !region->freed && a.address + a.size <= region->begin + region->bytes) return true;
    if (aligned && !in_shared && !region && in_program(a.address, a.kind != Kind::load)) return true;

    // What lies just before or behind the block's shared memory was meant to be in it.
    if (!region && a.address + around_arena - shared_begin < shared_bytes + 2 * around_arena) in_shared = true;
    Report r{"memcheck", "", "", "", in_shared ? "shared" : "global"};
    r.pc = a.pc, r.block = who.block, r.thread = who.thread;
    std::string verb = a.kind == Kind::store ? "store" : a.kind == Kind::atomic ? "atomic" : "load";
    std::string access =
        (verb == "atomic" ? "an atomic on " : "a " + verb + " of ") + std::to_string(a.size) + " bytes ";
    if (!aligned) {
        r.kind = "misaligned access";
        r.why = access + "at " +
                where(a.address, in_shared ? Space::shared : Space::global, shared_begin, r.name, r.index) +
                ", whose address is no multiple of " + std::to_string(a.size);
    } else if (in_shared) {
        r.kind = "shared " + verb + " out of bounds";
        r.why = access + "at " + where(a.address, Space::shared, shared_begin, r.name, r.index) +
                ", beyond what the kernel declared and the launch asked for";
    } else if (region && region->freed) {
        r.kind = "use after free";
        r.why = access + "in memory that has been freed: " + where(a.address, Space::global, 0, r.name, r.index);
    } else {
        r.kind = verb + " out of bounds";
        r.why = access + outside(a, r.name, r.index);
    }
    add(r);
    return false;
}

// Where an access stands that lies in no memory, or not wholly in one: by the memory that it is closest to.
std::string Sanitizer::outside(const Access& a, std::string& name, long long& index) {
    const Region* before = region_before(a.address);
    if (before && a.address - before->begin < before->bytes + near) {
        uintptr_t end = before->begin + before->bytes;
        if (const Region* after = region_after(a.address); after && after->begin - a.address < a.address - end)
            before = after;
    } else {
        before = region_after(a.address);
    }
    if (!before || (before->begin > a.address && before->begin - a.address > near)) {
        name = "unknown memory";
        return a.address < 4096 ? "through a null pointer" : "at an address that belongs to no memory";
    }
    name = before->name;
    if (before->begin > a.address) {
        uintptr_t distance = before->begin - a.address;
        index = -(long long)((distance + before->element - 1) / before->element);
        return std::to_string(distance) + " bytes before the start of " + name + ", at index " + std::to_string(index);
    }
    index = (long long)((a.address - before->begin) / before->element);
    return std::to_string(a.address + a.size - (before->begin + before->bytes)) + " bytes past the end of " + name +
           ", at index " + std::to_string(index) + " of " + std::to_string(before->bytes / before->element) +
           (before->element == 1 ? " bytes" : " elements");
}

void Sanitizer::fence(const Party& who, bool of_block) {
    thread_sync_[who.thread].fence = ++clock_;
    if (!of_block) block_sync_[who.block].fence = clock_;
}

// Ordered: by a barrier of the block, by a __syncwarp of both lanes, or by a fence after the first access and an atomic
// before the second, as of kernels that take a lock or let the last block finish the work.
bool Sanitizer::ordered(const Party& before, const Party& now, Space space, const Worker& w) {
    if (before.is_volatile && now.is_volatile) return true;  // a flag that another thread waits for
    if (before.block != now.block) {
        if (before.tick <= grid_barrier_) return true;
        return space == Space::shared ||
               (block_sync_[before.block].fence > before.tick && block_sync_[now.block].atomic > before.tick);
    }
    if (before.thread == now.thread || before.barrier != now.barrier) return true;
    if (before.thread / 32 == now.thread / 32 && w.synced(before.thread, now.thread, before.sync)) return true;
    return thread_sync_[before.thread].fence > before.tick && thread_sync_[now.thread].atomic > before.tick;
}

void Sanitizer::happens(const Access& a, Party who, Space space, uintptr_t shared_begin, Worker& w) {
    if (who.block != running_block_) {
        running_block_ = who.block;
        thread_sync_.assign(max_block_threads, {});
        under_way_.clear();
    }
    who.tick = ++clock_;
    if (!under_way_.empty()) check_copies(a, who, space, shared_begin);
    bool acquires = a.kind == Kind::atomic || (who.is_volatile && a.kind == Kind::load && space == Space::global);
    if (acquires) block_sync_[who.block].atomic = thread_sync_[who.thread].atomic = clock_;
    bool missing = false;
    for (uintptr_t word = a.address & ~uintptr_t(3); word < a.address + a.size; word += 4) {
        Cell& cell = space == Space::shared ? w.shared_cells[(word - shared_begin) / 4] : global_cell(word);
        if (space == Space::shared && cell.block != who.block) cell = {}, cell.block = who.block;
        // Memory that still holds what it was filled with; whatever else is there, somebody has written it.
        bool unwritten = space == Space::shared
                             ? all_ones(std::max(word, a.address), std::min(word + 4, a.address + a.size))
                             : *reinterpret_cast<const uint32_t*>(word) == poison && region_at(word) != nullptr;
        if (a.size < 4 && !cell.bytes) {
            cell.bytes = std::make_unique<std::array<Track, 4>>();
            cell.bytes->fill(cell.whole);
        }
        for (unsigned i = 0; i < (cell.bytes ? 4 : 1); ++i) {
            if (cell.bytes && (word + i < a.address || word + i >= a.address + a.size)) continue;
            bool written = look_at(cell.bytes ? (*cell.bytes)[i] : cell.whole, a, who, space, w);
            missing |= unwritten && !written;
        }
    }
    if (missing && a.kind != Kind::store && !(a.how & Access::overwrites)) {
        Report r{"initcheck", space == Space::shared ? "uninitialised shared load" : "uninitialised load", "", "",
                 space == Space::shared ? "shared" : "global"};
        r.pc = a.pc, r.block = who.block, r.thread = who.thread;
        std::string at = where(a.address, space, shared_begin, r.name, r.index);
        r.why = (a.kind == Kind::atomic ? "an atomic on " : "a load of ") + std::to_string(a.size) + " bytes " +
                (a.kind == Kind::atomic ? "at " : "from ") + at + ", which nobody has written";
        add(r);
    }
}

void Sanitizer::copy_starts(const Access& store, Party who, Worker& w) {
    Space space = store.address - w.arena_begin() < arena_size ? Space::shared : Space::global;
    check_copies(store, who, space, w.arena_begin());
    for (uintptr_t word = store.address & ~uintptr_t(3); word < store.address + store.size; word += 4)
        under_way_[word] = who;
}

void Sanitizer::copy_ends(const Access& store, Party who, Worker& w) {
    for (uintptr_t word = store.address & ~uintptr_t(3); word < store.address + store.size; word += 4)
        under_way_.erase(word);
    Space space = store.address - w.arena_begin() < arena_size ? Space::shared : Space::global;
    happens(store, who, space, w.arena_begin(), w);
}

void Sanitizer::check_copies(const Access& a, const Party& who, Space space, uintptr_t shared_begin) {
    for (uintptr_t word = a.address & ~uintptr_t(3); word < a.address + a.size; word += 4) {
        auto copy = under_way_.find(word);
        if (copy == under_way_.end()) continue;
        Report r{"racecheck", a.kind == Kind::load ? "read before the wait" : "write before the wait", "", "",
                 space == Space::shared ? "shared" : "global"};
        r.pc = a.pc, r.other_pc = copy->second.pc, r.block = who.block, r.other_block = copy->second.block;
        r.thread = who.thread, r.other_thread = copy->second.thread;
        r.why = "an asynchronous copy into " + where(word, space, shared_begin, r.name, r.index) +
                " is under way: thread " + std::to_string(r.other_thread) +
                ", which began it, has not waited for it before this access";
        add(r);
        return;
    }
}

// Reports races of this access with those before it, remembers it, and says whether the bytes had been written.
bool Sanitizer::look_at(Track& track, const Access& a, const Party& who, Space space, Worker& w) {
    auto races = [&](const Party& before) { return before && !ordered(before, who, space, w); };
    bool written = track.initialised;
    if (a.kind == Kind::load) {
        if (races(track.writer)) race("read after write", track.writer, who, a.address, space, w.arena_begin());
        // In global memory such a load is how a thread looks whether an atomic is worth while, or waits for a flag.
        else if (space == Space::shared && races(track.updater))
            doubt("read after write", a, track.updater, who, space);
        const Party& other = track.other_reader;
        bool keep = other && (other.block != who.block ||
                              (other.barrier == who.barrier && other.thread / 32 != who.thread / 32));
        if (!keep && track.reader && !track.reader.is(who)) track.other_reader = track.reader;
        track.reader = who;
        return written;
    }
    track.initialised = true;
    if (a.kind == Kind::atomic) {
        bool too_narrow = track.updater.block != who.block && (who.of_block || track.updater.of_block);
        if (races(track.writer)) race("write after write", track.writer, who, a.address, space, w.arena_begin());
        else if (too_narrow && races(track.updater))
            race("block-scoped atomics", track.updater, who, a.address, space, w.arena_begin());
        track.updater = who;
        return written;
    }
    for (const Party* reader : {&track.reader, &track.other_reader})
        if (races(*reader)) {
            race("write after read", *reader, who, a.address, space, w.arena_begin());
            break;
        }
    if (races(track.writer)) doubt("write after write", a, track.writer, who, space);
    else if (races(track.updater)) race("write after write", track.updater, who, a.address, space, w.arena_begin());
    track.writer = who;
    return written;
}

void Sanitizer::doubt(const char* kind, const Access& a, const Party& before, const Party& now, Space space) {
    Doubt& doubt = doubts[now.thread].emplace_back(Doubt{kind, a, {}, before, now, space});
    memcpy(doubt.before, reinterpret_cast<const void*>(a.address), a.size);
}

void Sanitizer::settle(unsigned thread, const Access* next) {
    if (doubts[thread].empty() || (next && next->how & Access::continues)) return;
    for (const Doubt& doubt : std::exchange(doubts[thread], {})) {
        const Access& a = doubt.access;
        bool same = a.kind == Kind::store && !memcmp(doubt.before, reinterpret_cast<const void*>(a.address), a.size);
        bool prepares = a.kind == Kind::load && next && next->kind == Kind::atomic && next->address == a.address;
        if (same || prepares) continue;
        race(doubt.kind, doubt.first, doubt.second, a.address, doubt.space, worker->arena_begin());
    }
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
