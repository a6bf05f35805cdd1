// memcpy_async of a whole group: its threads share the bytes, 16 at a time where both sides are so aligned.
#pragma once
#include "../cooperative_groups.h"
#include "../cuda_pipeline.h"

namespace cooperative_groups {

template <class Group, class To, class From>
void memcpy_async(const Group& group, To* to, const From* from, size_t bytes) {
    auto together = reinterpret_cast<size_t>(to) | reinterpret_cast<size_t>(from) | bytes;
    size_t step = together % 16 == 0 ? 16 : together % 8 == 0 ? 8 : together % 4 == 0 ? 4 : 1;
    char* out = reinterpret_cast<char*>(to);
    const char* in = reinterpret_cast<const char*>(from);
    for (size_t i = group.thread_rank() * step; i < bytes; i += group.size() * step)
        cudabook::async_copy_here(out + i, in + i, step, 0);
    cudabook::async_commit();
}
template <class Group>
void wait(const Group& group) {
    cudabook::async_wait(0);
    group.sync();
}
template <unsigned groups_left, class Group>
void wait_prior(const Group& group) {
    cudabook::async_wait(groups_left);
    group.sync();
}

}  // namespace cooperative_groups
