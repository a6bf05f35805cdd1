#include "trace.h"

#include "regions.h"

#include <algorithm>
#include <bit>
#include <dlfcn.h>

namespace cudabook {
namespace {

// The distinct values among `n`, which are sorted if need be.
unsigned distinct(uint64_t* values, unsigned n) {
    if (!std::is_sorted(values, values + n)) std::sort(values, values + n);
    return std::unique(values, values + n) - values;
}

// Passes that shared memory needs for one request: the most distinct 4-byte words in any of its 32 banks, added up over
// groups of lanes that are served together: all 32; for 16-byte accesses, each half of the warp if its lanes i and i ^
// 1, or i and i ^ 2, read the same, else each quarter; for ldmatrix, the rows of each matrix. Found to equal Nsight
// Compute's count of wavefronts on an H200, for ldmatrix too.
unsigned wavefronts(const uint64_t* first_word, const unsigned* lane, unsigned n, unsigned words, unsigned together) {
    unsigned total = 0;
    for (unsigned group = 0; group < 32 / together; ++group) {
        uint64_t word[64];
        unsigned count = 0;
        for (unsigned i = 0; i < n; ++i) {
            if (lane[i] / together != group) continue;
            for (unsigned w = 0; w < words; ++w) word[count++] = first_word[i] + w;
        }
        count = distinct(word, count);
        unsigned in_bank[32] = {}, most = 0;
        for (unsigned i = 0; i < count; ++i) most = std::max(most, ++in_bank[word[i] % 32]);
        total += most;
    }
    return total;
}

// Of 16-byte accesses: whether in the whole request lanes i and i ^ 1, or in the whole request i and i ^ 2, read the
// same.
bool halves_are_served_whole(const uint64_t* first_word, const unsigned* lane, unsigned n) {
    uint64_t word[32];
    uint32_t active = 0;
    for (unsigned i = 0; i < n; ++i) word[lane[i]] = first_word[i], active |= 1u << lane[i];
    bool same[2] = {true, true};
    for (unsigned i = 0; i < n; ++i)
        for (unsigned bit : {1u, 2u})
            if (unsigned other = lane[i] ^ bit; active >> other & 1 && word[other] != word[lane[i]])
                same[bit - 1] = false;
    return same[0] || same[1];
}

}  // namespace

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + "\"";
}

namespace {
uintptr_t constants_begin = ~uintptr_t(0), constants_end = 0;  // of all, from the first to the last
std::vector<std::pair<uintptr_t, uintptr_t>> constants;

bool is_constant(uintptr_t address) {
    if (address < constants_begin || address >= constants_end) return false;
    for (auto [begin, end] : constants)
        if (address >= begin && address < end) return true;
    return false;
}
}  // namespace

void constant_memory(const void* variable, size_t bytes) {
    auto begin = reinterpret_cast<uintptr_t>(variable);
    constants.emplace_back(begin, begin + bytes);
    constants_begin = std::min(constants_begin, begin);
    constants_end = std::max(constants_end, begin + bytes);
}

void Tally::add(const Tally& other) {
    if (other.example_warp < example_warp) {
        example_warp = other.example_warp, example_lanes = other.example_lanes;
        std::copy(other.example, other.example + 32, example);
    }
    requests += other.requests;
    lanes += other.lanes;
    bytes += other.bytes;
    sectors += other.sectors;
    ideal_sectors += other.ideal_sectors;
    wavefronts += other.wavefronts;
    ideal_wavefronts += other.ideal_wavefronts;
    most_ways = std::max(most_ways, other.most_ways);
    collisions += other.collisions;
}

void Profile::add(const Profile& other) {
    for (auto& [key, tally] : other.tallies) {
        auto [it, fresh] = tallies.try_emplace(key, tally);
        if (!fresh) it->second.add(tally);
    }
    if (entered.size() < other.entered.size()) entered.resize(other.entered.size());
    for (size_t i = 0; i < other.entered.size(); ++i) entered[i] += other.entered[i];
    text = other.text;
    tensor_flops += other.tensor_flops;
}

void Profile::clear() {
    tallies.clear();
    entered.clear();
    tensor_flops = 0;
}

void Profile::request(const Access* access, unsigned group, uintptr_t shared_begin, size_t shared_bytes,
                      uint64_t warp) {
    unsigned lane[3][32], n[3] = {};
    for (unsigned left = group; left; left &= left - 1) {
        unsigned i = std::countr_zero(left);
        bool shared = access[i].address - shared_begin < shared_bytes;
        unsigned space = unsigned(shared                           ? Space::shared
                                  : is_constant(access[i].address) ? Space::constant
                                                                   : Space::global);
        lane[space][n[space]++] = i;
    }
    for (unsigned space = 0; space < 3; ++space) {
        unsigned count = n[space];
        if (!count) continue;
        const Access& leader = access[lane[space][0]];
        auto [it, fresh] = tallies.try_emplace(leader.pc * 4 + space);
        Tally& tally = it->second;
        if (fresh) tally.kind = leader.kind, tally.space = Space(space), tally.size = leader.size;
        uintptr_t base = Space(space) == Space::shared ? shared_begin : 0;
        uint64_t address[64];
        for (unsigned i = 0; i < count; ++i) address[i] = access[lane[space][i]].address - base;
        if (warp < tally.example_warp) {
            tally.example_warp = warp;
            tally.example_lanes = 0;
            for (unsigned i = 0; i < count; ++i) {
                tally.example_lanes |= 1u << lane[space][i];
                tally.example[lane[space][i]] = address[i];
            }
        }
        ++tally.requests;
        tally.lanes += count;
        tally.bytes += uint64_t(count) * leader.size;
        if (Space(space) == Space::shared) {
            unsigned words = std::max(1, leader.size / 4);
            uint64_t word[32];
            for (unsigned i = 0; i < count; ++i) word[i] = address[i] / 4;
            bool of_matrix = leader.how & Access::of_matrix;
            bool by_quarters = of_matrix || (words == 4 && !halves_are_served_whole(word, lane[space], count));
            unsigned passes = wavefronts(word, lane[space], count, words, by_quarters ? 8 : words == 4 ? 16 : 32);
            unsigned different = distinct(word, count), ideal = std::max(1u, (different * words + 31) / 32);
            if (of_matrix) ideal = (count + 7) / 8;
            tally.wavefronts += passes;
            tally.ideal_wavefronts += ideal;
            tally.most_ways = std::max<uint64_t>(tally.most_ways, (passes + ideal - 1) / ideal);
        } else if (Space(space) == Space::constant) {
            uint64_t different = distinct(address, count);
            tally.wavefronts += different;
            ++tally.ideal_wavefronts;
            tally.most_ways = std::max(tally.most_ways, different);
        } else {
            uint64_t sector[64];
            for (unsigned i = 0; i < count; ++i) {
                sector[2 * i] = address[i] / 32;
                sector[2 * i + 1] = (address[i] + leader.size - 1) / 32;
            }
            tally.sectors += distinct(sector, 2 * count);
            tally.ideal_sectors += (distinct(address, count) * leader.size + 31) / 32;
        }
        if (leader.kind == Kind::atomic) tally.collisions += count - distinct(address, count);
    }
}

// Where the example's bytes lie: in which memory, and how many bytes from the 128-byte line that it starts in.
static std::string example_json(const Tally& t) {
    std::string name, lanes;
    uintptr_t first = t.example[std::countr_zero(t.example_lanes)], base = 0;
    if (t.space != Space::shared) {
        const Region* region = region_at(first);
        base = (region ? region->begin : first) / 128 * 128;
        name = region ? region->name : "";
    }
    for (unsigned left = t.example_lanes; left; left &= left - 1) {
        unsigned lane = std::countr_zero(left);
        lanes += (lanes.empty() ? "[" : ", [") + std::to_string(lane) + ", " +
                 std::to_string((long long)(t.example[lane] - base)) + "]";
    }
    return "\"name\": " + quoted(name) + ", \"example\": [" + lanes + "]";
}

std::string Profile::entered_json() const {
    std::string text = "[";
    for (size_t i = 0; i < entered.size(); ++i)
        if (entered[i])
            text += (text.size() > 1 ? ", [" : "[") + std::to_string(i) + ", " + std::to_string(entered[i]) + "]";
    return text + "]";
}

std::string Profile::json() const {
    std::string text = "[";
    for (auto& [key, t] : tallies) {
        uintptr_t pc = key / 4;
        Dl_info info{};
        dladdr(reinterpret_cast<void*>(pc), &info);
        auto number = [](uint64_t v) { return std::to_string(v); };
        if (text.size() > 1) text += ",\n";
        text += "{\"library\": \"" + std::string(info.dli_fname ? info.dli_fname : "") +
                "\", \"offset\": " + number(pc - 1 - reinterpret_cast<uintptr_t>(info.dli_fbase)) + ", \"kind\": \"" +
                (t.kind == Kind::load    ? "load"
                 : t.kind == Kind::store ? "store"
                 : t.kind == Kind::copy  ? "copy"
                                         : "atomic") +
                "\", \"space\": \"" +
                (t.space == Space::shared     ? "shared"
                 : t.space == Space::constant ? "constant"
                                              : "global") +
                "\", \"size\": " + number(t.size) + ", \"requests\": " + number(t.requests) +
                ", \"lanes\": " + number(t.lanes) + ", \"bytes\": " + number(t.bytes) +
                ", \"sectors\": " + number(t.sectors) + ", \"ideal_sectors\": " + number(t.ideal_sectors) +
                ", \"wavefronts\": " + number(t.wavefronts) + ", \"ideal_wavefronts\": " + number(t.ideal_wavefronts) +
                ", \"most_ways\": " + number(t.most_ways) + ", \"collisions\": " + number(t.collisions) + ", " +
                example_json(t) + "}";
    }
    return text + "]";
}

}  // namespace cudabook
