// Lanes of a warp that wait for each other: shuffles and their kin, and __activemask().
#include "block.h"

#include <bit>
#include <cstdio>

namespace cudabook {
namespace {

std::string hex(unsigned v) {
    char text[16];
    snprintf(text, sizeof text, "0x%08x", v);
    return text;
}

}  // namespace

// On a GPU, the lanes of a mask that do not exist or have returned are not waited for; neither are they here.
Met Worker::meet(unsigned mask, uint64_t value, const char* file, int line) {
    if (meetings_.empty()) meetings_.resize(max_block_threads);
    unsigned lane = current_ % 32, warp = current_ / 32;
    if (!(mask >> lane & 1))
        fail({cudaErrorLaunchFailure, "bad warp mask",
              "Lane " + std::to_string(lane) + " (" + where() + ") calls a warp function at " + file + ":" +
                  std::to_string(line) + " with the mask " + hex(mask) +
                  ", which does not name it. Every lane that calls must be in the mask."});
    unsigned which = meeting_of(warp, mask);
    Meeting& meeting = meetings_[32 * warp + which];
    unsigned generation = meeting.generation;
    meeting.mask = mask;
    meeting.value[generation % 2][lane] = value;
    meeting.arrived |= 1u << lane;
    warps_[warp].open |= 1u << which;
    close_if_complete(warp, which);
    if (meeting.generation == generation) park({&meeting.generation, generation, file, line});
    else --ready_;  // it did not park
    --meeting.unread;
    return {meeting.value[generation % 2], meeting.present[generation % 2]};
}

// The warp's meeting with this mask, or a free one. There is one: a lane keeps at most one busy.
unsigned Worker::meeting_of(unsigned warp, unsigned mask) const {
    unsigned free = 32;
    for (unsigned i = 0; i < 32; ++i) {
        const Meeting& meeting = meetings_[32 * warp + i];
        if (meeting.mask == mask) return i;
        if (free == 32 && !meeting.arrived && !meeting.unread) free = i;
    }
    return free;
}

void Worker::close_if_complete(unsigned warp, unsigned which) {
    Meeting& meeting = meetings_[32 * warp + which];
    if (meeting.mask & ~warps_[warp].done & ~meeting.arrived) return;
    meeting.present[meeting.generation % 2] = meeting.arrived;
    meeting.unread += std::popcount(meeting.arrived);
    ready_ += std::popcount(meeting.arrived);
    meeting.arrived = 0;
    ++meeting.generation;
    warps_[warp].open &= ~(1u << which);
}

void Worker::lane_left(unsigned thread) {
    Warp& warp = warps_[thread / 32];
    warp.done |= 1u << thread % 32;
    for (unsigned open = warp.open; open; open &= open - 1)
        close_if_complete(thread / 32, std::countr_zero(open));
    if (warp.asking) lane_rests(thread);
}

// The lanes that execute together are not fixed by CUDA; this is the most that can: a lane in __activemask() waits
// until every lane of its warp is in __activemask(), waits for something else, or has returned. Those that asked at
// the same line are then one group.
unsigned Worker::active_lanes(const char* file, int line) {
    if (answers_.empty()) answers_.resize(2 * max_block_threads);
    unsigned* generation = &answers_[max_block_threads + current_];
    warps_[current_ / 32].asking |= 1u << current_ % 32;
    park({generation, *generation, file, line});
    return answers_[current_];
}

void Worker::lane_rests(unsigned thread) {
    Warp& warp = warps_[thread / 32];
    if (threads_[thread].state == Thread::parked) warp.resting |= 1u << thread % 32;
    if (!warp.asking || ~(warp.resting | warp.done)) return;
    unsigned first = thread / 32 * 32;
    for (unsigned t = first; t < std::min(first + 32, size_); ++t)  // a lane that is free to go on decides later
        if (threads_[t].state == Thread::parked && *threads_[t].wait.counter != threads_[t].wait.value) return;
    unsigned leader = std::countr_zero(warp.asking), group = 0;
    for (unsigned asking = warp.asking; asking; asking &= asking - 1) {
        unsigned lane = std::countr_zero(asking);
        if (threads_[first + lane].wait.line == threads_[first + leader].wait.line) group |= 1u << lane;
    }
    warp.asking &= ~group;
    ready_ += std::popcount(group);
    for (unsigned left = group; left; left &= left - 1) {
        unsigned t = first + std::countr_zero(left);
        answers_[t] = group;
        ++answers_[max_block_threads + t];
    }
}

}  // namespace cudabook
