// cp.async: each thread's copies that are under way. They are done by the wait that names them.
#include "block.h"

#include <cstring>

namespace cudabook {

Copies& Worker::copies() {
    if (copies_.empty()) copies_.resize(max_block_threads);
    return copies_[current_];
}

void Worker::async_copy(const AsyncCopy& copy) {
    if (watches()) {
        auto to = reinterpret_cast<uintptr_t>(copy.to), from = reinterpret_cast<uintptr_t>(copy.from);
        auto size = uint8_t(copy.bytes);
        if (copy.from_bytes) access({copy.pc, from, uint8_t(copy.from_bytes), Kind::load});
        if (sanitizer) {
            Access store{copy.pc, to, size, Kind::store};
            if (!sanitizer->allowed(store, party(copy.pc), arena_begin(), arena_size))
                fail({cudaErrorIllegalAddress, "reported", ""});
            sanitizer->copy_starts(store, party(copy.pc), *this);
        } else {
            access({copy.pc, to, size, Kind::copy});
        }
    }
    Copies& mine = copies();
    mine.under_way.push_back(copy);
    mine.under_way.back().group = mine.commits;
}

void Worker::async_commit() { ++copies().commits; }

void Worker::async_wait(unsigned groups_left) {
    if (copies_.empty()) return;
    Copies& mine = copies_[current_];
    while (!mine.under_way.empty() && mine.under_way.front().group + groups_left < mine.commits) {
        AsyncCopy copy = mine.under_way.front();
        mine.under_way.pop_front();
        if (sanitizer && inside_[current_]) {
            Access store{copy.pc, reinterpret_cast<uintptr_t>(copy.to), uint8_t(copy.bytes), Kind::store};
            sanitizer->copy_ends(store, party(copy.pc), *this);
        }
        memcpy(copy.to, copy.from, copy.from_bytes);
        memset(copy.to + copy.from_bytes, 0, copy.bytes - copy.from_bytes);
    }
}

// The running thread has returned: what it did not wait for is done some time, and nobody knows when.
void Worker::abandon_copies() {
    if (copies_.empty()) return;
    Copies& mine = copies_[current_];
    for (const AsyncCopy& copy : mine.under_way) memcpy(copy.to, copy.from, copy.from_bytes);
    mine.under_way.clear();
    mine.commits = 0;
}

void async_copy(void* to, const void* from, unsigned bytes, unsigned from_bytes, void* pc) {
    worker->async_copy({static_cast<char*>(to), static_cast<const char*>(from), bytes, from_bytes, 0,
                        reinterpret_cast<uintptr_t>(pc)});
}
void async_commit() { worker->async_commit(); }
void async_wait(unsigned groups_left) { worker->async_wait(groups_left); }

}  // namespace cudabook
