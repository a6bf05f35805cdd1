// What memory there is: the address ranges that kernels may use, and those they no longer may.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cudabook {

// Fills memory that nobody has written: a NaN as float64, float32, float16 and bfloat16, and an unlikely integer.
constexpr uint32_t poison = 0xffd3ffd3u;
void fill_with_poison(void* memory, size_t bytes);

struct Region {
    uintptr_t begin = 0;
    size_t bytes = 0;
    std::string name;       // "x", "out", or "cudaMalloc'd memory"
    unsigned element = 1;   // bytes of an element, for indices in reports
    bool freed = false;
    uintptr_t made_at = 0;  // the program counter of the call of cudaMalloc, if it was one
    bool pinned = false;    // host memory of cudaMallocHost or cudaHostAlloc
};

void add_region(Region region);
bool free_region(uintptr_t begin);    // it stays known as freed memory; false if there is none
void forget_region(uintptr_t begin);

// The region that an address lies in, or else the nearest that begins before it, or null.
const Region* region_at(uintptr_t address);
const Region* region_before(uintptr_t address);
const Region* region_after(uintptr_t address);  // the nearest that begins after it, or null
std::vector<Region> all_regions();

// In the code or the variables of a loaded library, where it can be written if need be.
bool in_program(uintptr_t address, bool written);

}  // namespace cudabook
