#include "position.h"

namespace cudabook {

namespace {
uint64_t mixed(uintptr_t header, unsigned number) {
    uint64_t h = (header ^ uint64_t(number) << 48) * 0x9e3779b97f4a7c15u;
    return (h ^ h >> 32) * 0xd6e8feb86659fd93u;
}
}  // namespace

void Position::clear() {
    path_.clear();
    turns_.clear();
    left_.clear();
    calls_.assign(1, {0, 0});
    hash_ = 0;
    strayed_ = false;
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
    hash_ += mixed(turn.header, turn.number);
    turns_.push_back(turn);
}

void Position::pop() {
    hash_ -= mixed(turns_.back().header, turns_.back().number);
    turns_.pop_back();
}

// A block outside the loop, or one of the loop's that no thread has been in yet: only what follows tells.
void Position::leave(uintptr_t block) {
    while (turns_.size() > calls_.back().turns && !turns_.back().body->has(block)) {
        left_.push_back(turns_.back());
        pop();
    }
    strayed_ = true;
}

void Position::come_back(uintptr_t block) {
    while (left_.size() && left_.back().path >= calls_.back().path && left_.back().body->has(block)) {
        push(left_.back());
        left_.pop_back();
    }
}

// A block that is on the path is a loop's first: its next turn begins.
void Position::again(uintptr_t block, Loops& loops) {
    unsigned at = path_.size();
    while (path_[--at] != block) {
    }
    while (turns_.size() > calls_.back().turns && turns_.back().path > at) pop();
    while (left_.size() && left_.back().path > at) left_.pop_back();
    bool known = turns_.size() > calls_.back().turns && turns_.back().path == at;
    Turn turn = known ? turns_.back() : Turn{block, at, 0, &loops[block]};
    if (known) pop();
    ++turn.number;
    push(turn);
    if (!known || strayed_) learn(at, loops);
    strayed_ = false;
    path_.resize(at + 1);
}

// What is on the path from `at` on belongs to the loop that begins there, with all of the loops that begin on the way,
// and to the loops around it.
void Position::learn(unsigned at, Loops& loops) {
    LoopBody& body = *turns_.back().body;
    for (size_t i = at; i < path_.size(); ++i) {
        body.blocks.insert(path_[i]);
        if (auto inner = loops.find(path_[i]); inner != loops.end() && &inner->second != &body)
            body.blocks.insert(inner->second.blocks.begin(), inner->second.blocks.end());
    }
    for (const Turn& outer : turns_)
        if (outer.body != &body) outer.body->blocks.insert(body.blocks.begin(), body.blocks.end());
}

bool Position::is_on_path(uintptr_t block) const {
    size_t i = path_.size();
    while (i > calls_.back().path)
        if (path_[--i] == block) return true;
    return false;
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
        if (mine && theirs && mine->header == theirs->header) {
            if (mine->number != theirs->number) return mine->number < theirs->number;
        } else if (mine && mine->body->has(other.block_of_call(call))) {
            return false;  // the other is in the loop's first turn
        } else if (theirs && theirs->body->has(block_of_call(call))) {
            return true;
        } else {
            break;
        }
    }
    if (calls_.size() != other.calls_.size()) return calls_.size() > other.calls_.size();
    return pc < other_pc;
}

}  // namespace cudabook
