// Watching for what a kernel must not do: memory that is not there, values that nobody wrote, and races.
#pragma once
#include "trace.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace cudabook {

// Who made an access, and when: enough to tell whether a later one by another thread is ordered after it.
struct Party {
    uintptr_t pc = 0;
    uint64_t block = 0;
    unsigned thread = 0;
    unsigned barrier = 0;  // barriers of its block that it had passed
    unsigned sync = 0;     // __syncwarp()s of its warp
    unsigned fence = 0;    // fences of its block
    bool there = false;
};

// What happened to one aligned 4-byte word in the running launch. Bytes of a word are told apart by masks.
struct Cell {
    Party writer, reader, other_reader;
    uint8_t write_mask = 0, read_mask = 0, other_mask = 0;
    uint8_t initialised = 0;
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

// Two stores of different threads to one word are a race only if they differ: known when the second has happened.
struct Doubt {
    bool open = false;
    uintptr_t address;
    unsigned size;
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
    void happens(const Access& access, const Party& who, Space space, uintptr_t shared_begin, Worker& worker);
    void settle(Doubt& doubt);
    void fence(uint64_t block) { ++fences_[block]; }
    unsigned fences_of(uint64_t block) { return fences_[block]; }
    void add(Report report);
    std::string json() const;
    void clear() { reports_.clear(); }

    std::vector<Doubt> doubts;  // by thread of the running block

private:
    bool ordered(const Party& before, const Party& now, Space space, const Worker& worker);
    void race(const char* kind, const Party& before, const Party& now, uintptr_t address, Space space,
              uintptr_t shared_begin);
    std::string where(uintptr_t address, Space space, uintptr_t shared_begin, std::string& name, long long& index);

    std::string kernel_;
    std::vector<Cell> shared_;
    std::unordered_map<uintptr_t, Cell> global_;
    std::unordered_map<uint64_t, unsigned> fences_, atomics_;
    std::vector<Report> reports_;
};

extern Sanitizer* sanitizer;  // null unless Python asked for it

}  // namespace cudabook
