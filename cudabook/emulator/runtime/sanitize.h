// Watching for what a kernel must not do: memory that is not there, values that nobody wrote, and races.
#pragma once
#include "trace.h"

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace cudabook {

// Who made an access, and when: enough to tell whether a later one by another thread is ordered after it.
struct Party {
    uintptr_t pc = 0;
    uint64_t tick = 0;  // of the launch's clock, which every watched access moves on
    uint32_t block = 0;
    uint16_t thread = 0;
    bool is_volatile = false;
    bool of_block = false;  // an atomic of block scope
    unsigned barrier = 0;  // barriers of its block that it had passed
    unsigned sync = 0;     // __syncwarp()s of its warp

    explicit operator bool() const { return pc != 0; }
    bool is(const Party& other) const { return block == other.block && thread == other.thread; }
};

// What happened to some bytes in the running launch. The two readers are the last one and one that may matter more
// later: of another block or another warp, or at least another thread.
struct Track {
    Party writer, updater, reader, other_reader;  // an updater is one by an atomic
    bool initialised = false;
};

// An aligned 4-byte word. Once it is used in parts, each byte has a track of its own.
struct Cell {
    Track whole;
    std::unique_ptr<std::array<Track, 4>> bytes;
    uint64_t block = ~uint64_t(0);  // shared memory: the block whose memory this was
};

struct Report {
    std::string tool, kind, why, name, space;
    uintptr_t pc = 0, other_pc = 0;
    uint64_t block = 0;
    unsigned thread = 0, other_thread = 0, count = 1;
    uint64_t other_block = 0;
    long long index = 0;
};

// Two stores of different threads to one word are a race only if they differ: known when the second has happened. And a
// load of what others update by atomics is none if it only prepares for an atomic of its own: known by what comes next.
struct Doubt {
    const char* kind;
    Access access;
    unsigned char before[16];
    Party first, second;
    Space space;
};

class Worker;

class Sanitizer {
public:
    void start_launch(const std::string& kernel);
    void finish_launch();

    // Is there such memory? If not, reports it and returns false: the access must not happen.
    bool allowed(const Access& access, const Party& who, uintptr_t shared_begin, size_t shared_bytes);
    // The access is about to happen.
    void happens(const Access& access, Party who, Space space, uintptr_t shared_begin, Worker& worker);
    // An asynchronous copy into these bytes has begun, or has been waited for by the thread that began it.
    void copy_starts(const Access& store, Party who, Worker& worker);
    void copy_ends(const Access& store, Party who, Worker& worker);
    void settle(unsigned thread, const Access* next);  // null: the thread reaches a barrier or its end
    void fence(const Party& who, bool of_block);
    void grid_barrier() { grid_barrier_ = clock_++; }
    void add(Report report);
    std::string json() const;

    std::vector<std::vector<Doubt>> doubts;  // by thread of the running block

private:
    // The last fence and the last atomic of a thread or a block.
    struct Sync {
        uint64_t fence = 0, atomic = 0;
    };
    bool ordered(const Party& before, const Party& now, Space space, const Worker& worker);
    bool look_at(Track& track, const Access& access, const Party& who, Space space, Worker& worker);
    void doubt(const char* kind, const Access& access, const Party& before, const Party& now, Space space);
    void race(const char* kind, const Party& before, const Party& now, uintptr_t address, Space space,
              uintptr_t shared_begin);
    static std::string outside(const Access& access, std::string& name, long long& index);
    std::string where(uintptr_t address, Space space, uintptr_t shared_begin, std::string& name, long long& index);

    std::string kernel_;
    Cell& global_cell(uintptr_t word);
    static constexpr size_t words_of_page = 256;
    std::unordered_map<uintptr_t, std::unique_ptr<Cell[]>> global_;  // by page
    uintptr_t last_page_ = 0;
    Cell* last_cells_ = nullptr;
    std::unordered_map<uintptr_t, Party> under_way_;  // 4-byte words that an asynchronous copy may write any time
    void check_copies(const Access& access, const Party& who, Space space, uintptr_t shared_begin);
    std::unordered_map<uint64_t, Sync> block_sync_;
    std::vector<Sync> thread_sync_;  // of the running block
    uint64_t clock_ = 0, running_block_ = 0, grid_barrier_ = 0;
    std::vector<Report> reports_;
};

extern Sanitizer* sanitizer;  // null unless Python asked for it

}  // namespace cudabook
