// Instructions of a whole warp: each lane brings its part, the one that comes last does the work of all.
#include "block.h"

#include "cudabook/small_float.h"
#include "cudabook/tensor.h"

#include <bit>
#include <cstring>

namespace cudabook {

void Worker::together(const Instruction& at, void* part, void (*perform)(void* const* parts)) {
    settle();
    if (gatherings_.empty()) gatherings_.resize(max_block_threads / 32);
    unsigned w = current_ / 32;
    Warp& warp = warps_[w];
    Gathering& gathering = gatherings_[w];
    if (!warp.gathered) gathering.at = at;
    else if (gathering.at.line != at.line || strcmp(gathering.at.name, at.name) != 0) report_divergent_warp(w, &at);
    gathering.part[current_ % 32] = part;
    warp.gathered |= 1u << current_ % 32;
    if (~warp.gathered) {
        park({&gathering.generation, gathering.generation, at.file, at.line});
        return;
    }
    perform(gathering.part);
    warp.gathered = warp.resting = 0;
    ready_ += 31;
    ++gathering.generation;
}

// Some lanes wait for all, and the others cannot come, or are at another instruction.
void Worker::report_divergent_warp(unsigned w, const Instruction* other) {
    auto number = [](unsigned n) { return std::to_string(n); };
    auto place = [&](const char* file, int line) { return std::string(file) + ":" + number(line); };
    const Warp& warp = warps_[w];
    const Instruction& at = gatherings_[w].at;
    std::string here = std::string(at.name) + " at " + place(at.file, at.line);
    std::string of_warp = " of warp " + number(w) + " of block " + std::to_string(block_number_), why;
    if (other) {
        why = here + " is where lane " + number(std::countr_zero(warp.gathered)) + of_warp + " is, and lane " +
              number(current_ % 32) + " is at " + other->name + " at " + place(other->file, other->line);
    } else {
        why = here + " is executed by " + number(std::popcount(warp.gathered)) + " of the 32 lanes" + of_warp + ": ";
        unsigned waiting = ~(warp.gathered | warp.done);
        const Wait& wait = threads_[32 * w + std::countr_zero(waiting | 1u << 31)].wait;
        if (waiting) why += number(std::popcount(waiting)) + " wait elsewhere, at " + place(wait.file, wait.line);
        else why += number(std::popcount(warp.done)) + " have returned or do not exist";
    }
    fail({cudaErrorLaunchFailure, "divergent warp",
          why + ". All lanes must execute it together: no branch may part them, and a block has whole warps."});
}

namespace {

[[noreturn]] void refuse(cudaError_t error, const char* kind, const Instruction& at, const std::string& why) {
    worker->fail({error, kind,
                  std::string(at.name) + " at " + at.file + ":" + std::to_string(at.line) + " in " + worker->where() +
                      ": " + why});
}

// The operand must be an aligned address of shared memory. The sanitizer has its own words for one that is not.
void check_shared(const Access& access, const Instruction& at, const char* what) {
    bool shared = access.address - worker->arena_begin() <= arena_size - access.size;
    if (shared && access.address % access.size == 0) return;
    worker->access(access);
    if (!shared)
        refuse(cudaErrorIllegalAddress, "illegal address", at, std::string(what) + " is not in shared memory.");
    refuse(cudaErrorMisalignedAddress, "misaligned address", at,
           std::string(what) + " is no multiple of " + std::to_string(access.size) + ".");
}

// --- ldmatrix

struct MatrixPart {
    uint32_t* r;
    uint16_t row[8];
};

template <unsigned count, bool transposed>
void load_matrices(void* const* parts) {
    auto part = [&](unsigned lane) { return static_cast<MatrixPart*>(parts[lane]); };
    for (unsigned i = 0; i < count; ++i)
        for (unsigned lane = 0; lane < 32; ++lane) {
            unsigned outer = 8 * i + lane / 4, inner = lane % 4 * 2;
            uint32_t low = transposed ? part(8 * i + inner)->row[lane / 4] : part(outer)->row[inner];
            uint32_t high = transposed ? part(8 * i + inner + 1)->row[lane / 4] : part(outer)->row[inner + 1];
            part(lane)->r[i] = low | high << 16;
        }
}

// --- mma

struct MmaPart {
    float* d;
    const uint32_t *a, *b;
};

template <Operand type>
void widen(const uint32_t* words, unsigned n, float* to) {
    for (unsigned i = 0; i < n; ++i) {
        uint32_t w = words[i];
        if constexpr (type == Operand::tf32) to[i] = float_of(w & ~0x1fffu);
        if constexpr (type == Operand::bfloat16) to[2 * i] = float_of(w << 16), to[2 * i + 1] = float_of(w & ~0xffffu);
        if constexpr (type == Operand::half) to[2 * i] = half_to_float(w), to[2 * i + 1] = half_to_float(w >> 16);
    }
}

// A row of a and a column of b are `words` registers long; g and t are what PTX calls groupID and threadID_in_group.
template <Operand type, unsigned words>
void multiply(void* const* parts) {
    typedef float Row __attribute__((vector_size(32)));
    constexpr unsigned k = type == Operand::tf32 ? words : 2 * words;
    uint32_t a_words[16][words], b_words[8][words];
    float a[16][k], b_columns[8][k];
    Row b[k], d[16];
    for (unsigned lane = 0; lane < 32; ++lane) {
        auto* part = static_cast<const MmaPart*>(parts[lane]);
        unsigned g = lane / 4, t = lane % 4;
        for (unsigned i = 0; i < words / 2; ++i) a_words[g + 8 * (i % 2)][t + 4 * (i / 2)] = part->a[i];
        for (unsigned i = 0; i < words / 4; ++i) b_words[g][t + 4 * i] = part->b[i];
        for (unsigned i = 0; i < 4; ++i) d[g + 8 * (i / 2)][2 * t + i % 2] = part->d[i];
    }
    widen<type>(a_words[0], 16 * words, a[0]);
    widen<type>(b_words[0], 8 * words, b_columns[0]);
    for (unsigned i = 0; i < k; ++i)
        for (unsigned n = 0; n < 8; ++n) b[i][n] = b_columns[n][i];
    for (unsigned m = 0; m < 16; ++m)
        for (unsigned i = 0; i < k; ++i) d[m] += a[m][i] * b[i];
    for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned i = 0; i < 4; ++i)
            static_cast<MmaPart*>(parts[lane])->d[i] = d[lane / 4 + 8 * (i / 2)][lane % 4 * 2 + i % 2];
}

}  // namespace

void ldmatrix(uint32_t* r, const void* row, unsigned count, bool transposed, const Instruction& at) {
    MatrixPart part{r, {}};
    if (worker->current() % 32 < 8 * count) {  // x2: the addresses of the other lanes are not looked at
        auto pc = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
        Access access{pc, reinterpret_cast<uintptr_t>(row), 16, Kind::load, Access::of_matrix};
        check_shared(access, at, "the address of a row");
        worker->access(access);
        memcpy(part.row, row, 16);
    }
    worker->together(at, &part,
                     count == 4   ? transposed ? load_matrices<4, true> : load_matrices<4, false>
                     : transposed ? load_matrices<2, true>
                                  : load_matrices<2, false>);
}

void mma(float* d, const uint32_t* a, const uint32_t* b, Operand type, unsigned k, const Instruction& at) {
    MmaPart part{d, a, b};
    worker->together(at, &part,
                     type == Operand::tf32 ? multiply<Operand::tf32, 8>
                     : type == Operand::bfloat16
                         ? k == 16 ? multiply<Operand::bfloat16, 8> : multiply<Operand::bfloat16, 4>
                     : k == 16 ? multiply<Operand::half, 8>
                               : multiply<Operand::half, 4>);
    worker->count_tensor_flops(2 * 16 * 8 * k);
}

void matrix_access(const void* matrix, unsigned ldm, size_t element, const Instruction& at) {
    if (reinterpret_cast<uintptr_t>(matrix) % 32)
        refuse(cudaErrorMisalignedAddress, "misaligned address", at,
               "the matrix does not start at a multiple of 32 bytes.");
    if (ldm * element % 16)
        refuse(cudaErrorMisalignedAddress, "misaligned address", at,
               "the leading dimension of " + std::to_string(ldm) + " elements is " + std::to_string(ldm * element) +
                   " bytes, which is no multiple of 16.");
    worker->together(at, nullptr, [](void* const*) {});
}

void cp_async(void* to, const void* from, unsigned bytes, int from_bytes, const Instruction& at) {
    auto pc = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
    if (from_bytes < 0 || unsigned(from_bytes) > bytes)
        refuse(cudaErrorInvalidValue, "bad copy", at,
               std::to_string(from_bytes) + " bytes are to be read for a copy of " + std::to_string(bytes) + ".");
    check_shared({pc, reinterpret_cast<uintptr_t>(to), uint8_t(bytes), Kind::store}, at, "the target");
    if (reinterpret_cast<uintptr_t>(from) % bytes) {
        worker->access({pc, reinterpret_cast<uintptr_t>(from), uint8_t(bytes), Kind::load});
        refuse(cudaErrorMisalignedAddress, "misaligned address", at,
               "the source is no multiple of " + std::to_string(bytes) + ".");
    }
    worker->async_copy({static_cast<char*>(to), static_cast<const char*>(from), bytes, unsigned(from_bytes), 0, pc});
}

}  // namespace cudabook
