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
Met Worker::meet(unsigned mask, uint64_t value, const char* file, int line, bool orders) {
    settle();
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
    meeting.orders = orders;
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
    if (meeting.orders) {
        unsigned number = ++warps_[warp].syncs;
        if (~(meeting.arrived | warps_[warp].done) == 0) warps_[warp].last_full = number;
        else partial_syncs_.push_back({warp, number, meeting.arrived});
    }
    meeting.unread += std::popcount(meeting.arrived);
    ready_ += std::popcount(meeting.arrived);
    warps_[warp].resting &= ~meeting.arrived;
    meeting.arrived = 0;
    ++meeting.generation;
    warps_[warp].open &= ~(1u << which);
}

bool Worker::synced(unsigned thread, unsigned other, unsigned since) const {
    if (warps_[thread / 32].last_full > since) return true;
    unsigned lanes = 1u << thread % 32 | 1u << other % 32;
    for (const PartialSync& s : partial_syncs_)
        if (s.warp == thread / 32 && s.number > since && (s.mask & lanes) == lanes) return true;
    return false;
}

void Worker::lane_left(unsigned thread) {
    Warp& warp = warps_[thread / 32];
    warp.done |= 1u << thread % 32;
    for (unsigned open = warp.open; open; open &= open - 1) close_if_complete(thread / 32, std::countr_zero(open));
    lane_rests(thread);
}

void Worker::lane_rests(unsigned thread) {
    Warp& warp = warps_[thread / 32];
    if (threads_[thread].state == Thread::parked) warp.resting |= 1u << thread % 32;
    if (~(warp.resting | warp.done)) return;  // some lane still runs, or has not started
    if (warp.at_access) make_request(thread / 32);
    else if (warp.asking) answer_active_lanes(thread / 32);
    else if (warp.gathered) report_divergent_warp(thread / 32);
}

// The lanes that execute together are not fixed by CUDA; this is the most that can: a lane in __activemask() waits
// until every lane of its warp is in __activemask(), waits for something else, or has returned. Those that asked at
// the same line are then one group.
unsigned Worker::active_lanes(const char* file, int line) {
    warps_[current_ / 32].asking |= 1u << current_ % 32;
    park({&turn_[current_], turn_[current_], file, line});
    return answers_[current_];
}

void Worker::answer_active_lanes(unsigned w) {
    Warp& warp = warps_[w];
    unsigned leader = 32 * w + std::countr_zero(warp.asking), group = 0;
    for (unsigned asking = warp.asking; asking; asking &= asking - 1) {
        unsigned lane = std::countr_zero(asking);
        if (threads_[32 * w + lane].wait.line == threads_[leader].wait.line) group |= 1u << lane;
    }
    warp.asking &= ~group;
    for (unsigned left = group; left; left &= left - 1) answers_[32 * w + std::countr_zero(left)] = group;
    let_go(w, group);
}

void Worker::let_go(unsigned w, unsigned group) {
    warps_[w].resting &= ~group;
    ready_ += std::popcount(group);
    for (; group; group &= group - 1) ++turn_[32 * w + std::countr_zero(group)];
}

// Where accesses are watched, lanes go in lockstep: each waits before its access until no lane of its warp can run,
// and those at the same instruction, in the same turn of the loops around it, make one request. Of several the one that
// comes first in the program's order goes first: lanes that left a loop early so wait for the rest.
void Worker::access(Access access) {
    auto where = reinterpret_cast<const char*>(access.address);
    if (!watches()) return;
    if (where >= stacks_ && where < stacks_ + capacity_ * stack_bytes) return;  // the thread's own variables
    if (is_builtin_variable(where) || is_value_of_meeting(where)) return;
    if (sanitizer) {
        settle(&access);
        if (!sanitizer->allowed(access, party(access.pc), arena_begin(), arena_size))
            fail({access.address % access.size ? cudaErrorMisalignedAddress : cudaErrorIllegalAddress, "reported", ""});
    }
    accesses_[current_] = access;
    warps_[current_ / 32].at_access |= 1u << current_ % 32;
    park({&turn_[current_], turn_[current_], "", 0});
    if (sanitizer) {
        Space space = access.address - arena_begin() < arena_size ? Space::shared : Space::global;
        Party who = party(access.pc);
        who.is_volatile = (access.how & Access::is_volatile) && space == Space::global;
        who.of_block = access.kind == Kind::atomic && (access.how & Access::of_block);
        sanitizer->happens(access, who, space, arena_begin(), *this);
    }
}

// What the lanes of a warp exchange lies in the runtime's memory; the functions that do so are compiled with the
// kernel.
bool Worker::is_value_of_meeting(const char* address) const {
    auto begin = reinterpret_cast<const char*>(meetings_.data());
    return address >= begin && address < begin + meetings_.size() * sizeof(Meeting);
}

void Worker::make_request(unsigned w) {
    Warp& warp = warps_[w];
    const Access* lanes = &accesses_[32 * w];
    const Position* positions = &positions_[32 * w];
    unsigned first = std::countr_zero(warp.at_access), group = 0;
    auto together = [&](unsigned lane) {
        return lanes[lane].pc == lanes[first].pc && positions[lane].same_turns(positions[first]);
    };
    for (unsigned left = warp.at_access; left; left &= left - 1) {
        unsigned lane = std::countr_zero(left);
        if (together(lane)) {
            group |= 1u << lane;
        } else if (positions[lane].before(lanes[lane].pc, positions[first], lanes[first].pc)) {
            first = lane;
            group = 1u << lane;
        }
    }
    // Lanes that spin on a value which another lane of the warp will write stand back after a while: on a GPU since
    // compute capability 7.0, every lane makes progress.
    unsigned others = warp.at_access & ~group;
    bool may_spin = lanes[first].kind == Kind::atomic || (lanes[first].how & Access::is_volatile);
    warp.spins = may_spin ? warp.spins + 1 : 0;
    if (others && warp.spins >= 64) {
        warp.spins = 0;
        first = std::countr_zero(others);
        group = 0;
        for (unsigned left = others; left; left &= left - 1) {
            unsigned lane = std::countr_zero(left);
            if (together(lane)) group |= 1u << lane;
        }
    }
    warp.at_access &= ~group;
    if (launch_->profile) profile_.request(lanes, group, arena_begin(), arena_size, block_number_ * 32 + w);
    let_go(w, group);
}

}  // namespace cudabook
