// How far a thread has come, where accesses are watched: in which turn of which loops. It is learnt from the basic
// blocks that the thread enters, and decides which of a warp's diverged lanes goes first.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace cudabook {

// A loop: where it begins, the last block before it begins again, and the blocks that some thread was seen to go round
// in. Two loops can begin at one block, since the compiler traces no empty blocks; the outer one ends later in the
// code.
struct Loop {
    uintptr_t latch;
    std::unordered_set<uintptr_t> blocks;
    mutable uintptr_t asked[32] = {};  // those that were asked for last
    bool has(uintptr_t block) const {
        uintptr_t& slot = asked[block / 8 % 32];
        if (slot == block) return true;
        if (!blocks.count(block)) return false;
        slot = block;
        return true;
    }
};
using Loops = std::unordered_map<uintptr_t, std::deque<Loop>>;  // by where they begin

class Position {
public:
    void clear();
    void call(int change);  // into a function, or out of one
    void enter(uintptr_t block, Loops& loops) {
        if (left_.size() && left_.back().path >= calls_.back().path) come_back(block);
        if (turns_.size() > calls_.back().turns && !turns_.back().loop->has(block)) leave(block);
        if (is_on_path(block)) again(block, loops);
        else path_.push_back(block);
    }

    bool same_turns(const Position& other) const {
        return hash_ == other.hash_ && calls_.size() == other.calls_.size();
    }
    // Of two lanes that are about to do something at `pc` and `other_pc`: whether this one goes first. It does if the
    // other is in a later turn of a loop, and else if its code comes first.
    bool before(uintptr_t pc, const Position& other, uintptr_t other_pc) const;

private:
    struct Turn {
        uintptr_t header;
        unsigned path, number;  // where the header is in the path; how often it was come back to
        Loop* loop;
    };
    struct Call {
        unsigned path, turns;  // where those of the call begin
    };
    void push(const Turn& turn);
    void pop();
    void leave(uintptr_t block);
    void come_back(uintptr_t block);
    void again(uintptr_t block, Loops& loops);
    void learn(Loops& loops);
    bool is_on_path(uintptr_t block) const;      // of the present call
    uintptr_t block_of_call(size_t call) const;  // where it is, or 0 if there is no such call

    std::vector<uintptr_t> path_;  // the blocks since the last turn of each loop that the thread is in
    std::vector<Turn> turns_;      // the loops, outermost first
    std::vector<Turn> left_;       // those that it seems to have left: by a block that was not seen in them before
    std::vector<Call> calls_{{0, 0}};
    uint64_t hash_ = 0;    // of the turns
    static constexpr unsigned nowhere = ~0u;
    unsigned strayed_ = nowhere;  // where in the path a loop was last left by a block that may yet belong to it
};

}  // namespace cudabook
