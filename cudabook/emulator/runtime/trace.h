// Watching memory: every load and store of an instrumented kernel, as the requests that a warp makes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace cudabook {

std::string quoted(const std::string& text);  // as a JSON string

// copy: what cp.async writes to shared memory, which Nsight Compute does not count among the stores.
enum class Kind : uint8_t { load, store, atomic, copy };
enum class Space : uint8_t { global, shared, constant };

// What one lane is about to do.
struct Access {
    uintptr_t pc, address;
    uint8_t size;
    Kind kind;
    uint8_t how = 0;
    // An atomic that does not use what was there; an access by a volatile type; a part, but the first, of a wider one.
    static constexpr uint8_t overwrites = 1, is_volatile = 2, continues = 4;
    static constexpr uint8_t of_block = 8;  // an atomic that only the block's own threads see as one
    static constexpr uint8_t of_matrix = 16;  // a row that ldmatrix reads
};

// What the requests of one instruction added up to. Sectors are 32 bytes of global memory; wavefronts are the passes
// that shared memory needs, and of constant memory the different addresses, which it serves one by one. The ideals are
// what the same bytes would cost if they lay side by side.
struct Tally {
    Kind kind;
    Space space;
    uint8_t size;
    uint64_t requests = 0, lanes = 0, bytes = 0;
    uint64_t sectors = 0, ideal_sectors = 0;
    uint64_t wavefronts = 0, ideal_wavefronts = 0, most_ways = 0;
    uint64_t collisions = 0;  // atomics: lanes of a request that share an address with an earlier lane
    // One request as an example: the first of the launch's first warp that made one.
    uint64_t example_warp = ~uint64_t(0);
    uint32_t example_lanes = 0;
    uintptr_t example[32];

    void add(const Tally& other);
};

// By instruction; an instruction that reaches both spaces has two tallies.
struct Text {
    uintptr_t begin = 0, end = 0;
};
Text text_of(const void* function);  // the code of the library that has the function: preempt.cpp

void constant_memory(const void* begin, size_t bytes);  // one __constant__ variable

struct Profile {
    std::unordered_map<uint64_t, Tally> tallies;  // key: pc * 4 + space
    std::vector<uint64_t> entered;  // how often each basic block was: by the offset of its start in `text`
    Text text;  // of the library that the kernel is in
    uint64_t tensor_flops = 0;

    // One request: the accesses of the lanes in `group`, all of one instruction. Shared addresses of the example count
    // from the start of shared memory.
    void request(const Access* lane_access, unsigned group, uintptr_t shared_begin, size_t shared_bytes, uint64_t warp);
    void add(const Profile& other);
    void clear();
    std::string json() const;  // of the tallies
    std::string entered_json() const;
};

}  // namespace cudabook
