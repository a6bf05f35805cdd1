#include "position.h"

#include <algorithm>

namespace cudabook {

namespace {
uint64_t mixed(const Loop* loop, unsigned number) {
    uint64_t h = (reinterpret_cast<uint64_t>(loop) ^ uint64_t(number) << 48) * 0x9e3779b97f4a7c15u;
    return (h ^ h >> 32) * 0xd6e8feb86659fd93u;
}

Loop& loop_of(Loops& loops, uintptr_t header, uintptr_t latch) {
    std::deque<Loop>& same = loops[header];
    for (Loop& loop : same)
        if (loop.latch == latch) return loop;
    return same.emplace_back(latch);
}
}  // namespace

void Position::clear() {
    path_.clear();
    turns_.clear();
    left_.clear();
    calls_.assign(1, {0, 0});
    hash_ = 0;
    strayed_ = nowhere;
}

void Position::call(int change) {
    if (change > 0) {
        calls_.push_back({unsigned(path_.size()), unsigned(turns_.size())});
    } else if (calls_.size() > 1) {
        while (turns_.size() > calls_.back().turns) pop();
        while (left_.size() && left_.back().path >= calls_.back().path) left_.pop_back();
        path_.resize(calls_.back().path);
        calls_.pop_back();
    }
}

void Position::push(const Turn& turn) {
    hash_ += mixed(turn.loop, turn.number);
    turns_.push_back(turn);
}

void Position::pop() {
    hash_ -= mixed(turns_.back().loop, turns_.back().number);
    turns_.pop_back();
}

// A block outside the loop, or one of the loop's that no thread has been in yet: only what follows tells.
void Position::leave(uintptr_t block) {
    while (turns_.size() > calls_.back().turns && !turns_.back().loop->has(block)) {
        left_.push_back(turns_.back());
        pop();
    }
    strayed_ = std::min(strayed_, unsigned(path_.size()));
}

void Position::come_back(uintptr_t block) {
    while (left_.size() && left_.back().path >= calls_.back().path && left_.back().loop->has(block)) {
        push(left_.back());
        left_.pop_back();
    }
}

// A block that is on the path is a loop's first: its next turn begins.
void Position::again(uintptr_t block, Loops& loops) {
    uintptr_t latch = path_.back();
    unsigned at = path_.size();
    do --at;
    while (path_[at] != block);
    auto inside = [at, latch](const Turn& t) { return t.path > at || (t.path == at && t.loop->latch < latch); };
    while (turns_.size() > calls_.back().turns && inside(turns_.back())) pop();
    if (left_.size()) std::erase_if(left_, inside);
    bool known = turns_.size() > calls_.back().turns && turns_.back().path == at && turns_.back().loop->latch == latch;
    Turn turn = known ? turns_.back() : Turn{block, at, 0, &loop_of(loops, block, latch)};
    if (known) pop();
    ++turn.number;
    push(turn);
    if (!known || (strayed_ >= at && strayed_ != nowhere)) learn(loops);
    if (strayed_ >= at) strayed_ = nowhere;
    path_.resize(at + 1);
}

// What is on the path since the innermost loop began belongs to it, with all of the loops that begin on the way, and to
// the loops around it.
void Position::learn(Loops& loops) {
    const Turn& turn = turns_.back();
    auto& blocks = turn.loop->blocks;
    for (size_t i = turn.path; i < path_.size(); ++i) {
        blocks.insert(path_[i]);
        if (auto found = loops.find(path_[i]); found != loops.end())
            for (const Loop& inner : found->second)
                if (i > turn.path || inner.latch < turn.loop->latch)
                    blocks.insert(inner.blocks.begin(), inner.blocks.end());
    }
    for (const Turn& outer : turns_)
        if (outer.loop != turn.loop) outer.loop->blocks.insert(blocks.begin(), blocks.end());
}

// At O3 the compiler makes vector instructions of it.
__attribute__((optimize("O3"))) bool Position::is_on_path(uintptr_t block) const {
    unsigned same = 0;
    for (size_t i = calls_.back().path, end = path_.size(); i < end; ++i) same += path_[i] == block;
    return same;
}

uintptr_t Position::block_of_call(size_t call) const {
    if (call >= calls_.size()) return 0;
    size_t end = call + 1 < calls_.size() ? calls_[call + 1].path : path_.size();
    return end > calls_[call].path ? path_[end - 1] : 0;
}

bool Position::before(uintptr_t pc, const Position& other, uintptr_t other_pc) const {
    size_t call = 0;
    for (size_t i = 0; i < turns_.size() || i < other.turns_.size(); ++i) {
        const Turn* mine = i < turns_.size() ? &turns_[i] : nullptr;
        const Turn* theirs = i < other.turns_.size() ? &other.turns_[i] : nullptr;
        const auto& calls = mine ? calls_ : other.calls_;
        while (call + 1 < calls.size() && calls[call + 1].turns <= i) ++call;  // the call that the loop is in
        if (mine && theirs && mine->loop == theirs->loop) {
            if (mine->number != theirs->number) return mine->number < theirs->number;
        } else if (mine && theirs && mine->header == theirs->header) {
            return mine->loop->latch < theirs->loop->latch;  // the other is in a later turn of the outer one
        } else if (mine && mine->loop->has(other.block_of_call(call))) {
            return false;  // the other is in the loop's first turn
        } else if (theirs && theirs->loop->has(block_of_call(call))) {
            return true;
        } else {
            break;
        }
    }
    if (calls_.size() != other.calls_.size()) return calls_.size() > other.calls_.size();
    return pc < other_pc;
}

}  // namespace cudabook
