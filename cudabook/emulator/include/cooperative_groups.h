// Cooperative groups: the block, tiles of a warp, the lanes that are together. Meanings: CUDA C++ Programming Guide,
// "Cooperative Groups".
#pragma once
#include "cuda_runtime.h"

namespace cudabook {
void grid_barrier(const char* file, int line);
bool is_cooperative();
}  // namespace cudabook

namespace cooperative_groups {

class thread_block {
public:
    static void sync(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
        cudabook::barrier(file, line);
    }
    static unsigned thread_rank() { return cudabook::thread_rank(); }
    static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
    static unsigned num_threads() { return size(); }
    static dim3 group_index() { return dim3(blockIdx); }
    static dim3 thread_index() { return dim3(threadIdx); }
    static dim3 group_dim() { return blockDim; }
    static dim3 dim_threads() { return blockDim; }
};
inline thread_block this_thread_block() { return {}; }

class grid_group {
public:
    static bool is_valid() { return cudabook::is_cooperative(); }
    static void sync(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
        cudabook::grid_barrier(file, line);
    }
    static unsigned long long num_blocks() { return 1ull * gridDim.x * gridDim.y * gridDim.z; }
    static unsigned long long block_rank() {
        return (1ull * blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    static dim3 block_index() { return dim3(blockIdx); }
    static unsigned long long size() { return 1ull * gridDim.x * gridDim.y * gridDim.z * thread_block::size(); }
    static unsigned long long num_threads() { return size(); }
    static unsigned long long thread_rank() { return block_rank() * thread_block::size() + cudabook::thread_rank(); }
    static dim3 group_dim() { return gridDim; }
    static dim3 dim_blocks() { return gridDim; }
};
inline grid_group this_grid() { return {}; }

// What tiles and coalesced groups share: lanes of one warp, named by a mask, ranked in the order of their lanes.
class lanes_of_a_warp {
public:
    explicit lanes_of_a_warp(unsigned mask) : mask_(mask) {}
    void sync(const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
        cudabook::sync_warp(mask_, file, line);
    }
    unsigned thread_rank() const { return __popc(mask_ & ((1u << cudabook::lane()) - 1)); }
    unsigned size() const { return __popc(mask_); }
    unsigned num_threads() const { return size(); }
    template <class T>
    T shfl(T v, int rank) const {
        return from_lane(v, lane_of(unsigned(rank) % size()));
    }
    template <class T>
    T shfl_up(T v, unsigned delta) const {
        unsigned rank = thread_rank();
        return from_lane(v, lane_of(rank >= delta ? rank - delta : rank));
    }
    template <class T>
    T shfl_down(T v, unsigned delta) const {
        unsigned rank = thread_rank();
        return from_lane(v, lane_of(rank + delta < size() ? rank + delta : rank));
    }
    int any(int predicate) const { return __any_sync(mask_, predicate); }
    int all(int predicate) const { return __all_sync(mask_, predicate); }
    unsigned ballot(int predicate) const { return by_rank(__ballot_sync(mask_, predicate)); }
    template <class T>
    unsigned match_any(T v) const {
        return by_rank(__match_any_sync(mask_, v));
    }
    template <class T>
    unsigned match_all(T v, int& all_equal) const {
        return by_rank(__match_all_sync(mask_, v, &all_equal));
    }

protected:
    // Values of any size, eight bytes at a time.
    template <class T>
    T from_lane(T v, int lane) const {
        if constexpr (sizeof(T) <= 8) {
            return __shfl_sync(mask_, v, lane);
        } else {
            unsigned long long words[(sizeof(T) + 7) / 8] = {};
            __builtin_memcpy(words, &v, sizeof v);
            for (auto& word : words) word = __shfl_sync(mask_, word, lane);
            __builtin_memcpy(&v, words, sizeof v);
            return v;
        }
    }
    int lane_of(unsigned rank) const {  // the lane that has this rank
        unsigned left = mask_;
        for (; rank; --rank) left &= left - 1;
        return __builtin_ctz(left);
    }
    unsigned by_rank(unsigned lanes) const {  // bits by lane -> bits by rank
        unsigned result = 0, rank = 0;
        for (unsigned left = mask_; left; left &= left - 1, ++rank)
            result |= (lanes >> __builtin_ctz(left) & 1) << rank;
        return result;
    }
    unsigned mask_;
};

template <unsigned N, class Parent = void>
class thread_block_tile : public lanes_of_a_warp {
    static_assert(N && N <= 32 && (N & (N - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");

public:
    thread_block_tile() : lanes_of_a_warp((N == 32 ? ~0u : (1u << N % 32) - 1) << cudabook::lane() / N * N) {}
    template <class Other, class = std::enable_if_t<std::is_void_v<Parent> && !std::is_void_v<Other>>>
    thread_block_tile(const thread_block_tile<N, Other>&) : thread_block_tile() {}  // whatever it is a part of
    static constexpr unsigned size() { return N; }
    static constexpr unsigned num_threads() { return N; }
    static unsigned thread_rank() { return cudabook::lane() % N; }
    static unsigned meta_group_rank() { return cudabook::thread_rank() / N; }
    static unsigned meta_group_size() { return (thread_block::size() + N - 1) / N; }
    template <class T>
    T shfl_xor(T v, unsigned lane_mask) const {
        return this->from_lane(v, lane_of((thread_rank() ^ lane_mask) % N));
    }
};

class coalesced_group : public lanes_of_a_warp {
public:
    explicit coalesced_group(unsigned mask) : lanes_of_a_warp(mask) {}
};

template <unsigned N>
thread_block_tile<N, thread_block> tiled_partition(const thread_block&) {
    return {};
}
template <unsigned N, unsigned M, class P>
thread_block_tile<N, thread_block_tile<M, P>> tiled_partition(const thread_block_tile<M, P>&) {
    static_assert(N <= M, "a tile is divided into smaller ones");
    return {};
}
inline coalesced_group coalesced_threads(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return coalesced_group(cudabook::active_lanes(file, line));
}

template <class Group>
void sync(const Group& group) {
    group.sync();
}

template <class T> struct plus {
    T operator()(T a, T b) const { return a + b; }
};
template <class T> struct less {
    T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T> struct greater {
    T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T> struct bit_and {
    T operator()(T a, T b) const { return a & b; }
};
template <class T> struct bit_or {
    T operator()(T a, T b) const { return a | b; }
};
template <class T> struct bit_xor {
    T operator()(T a, T b) const { return a ^ b; }
};

// The same value in every thread of the group. Combined in a tree, as shuffles would.
template <class Group, class T, class Op>
T reduce(const Group& group, T v, Op op) {
    for (unsigned step = 1; step < group.size(); step *= 2) {
        T other = group.shfl_down(v, step);
        if (group.thread_rank() + step < group.size()) v = op(v, other);
    }
    return group.shfl(v, 0);
}
template <class Group, class T, class Op>
T inclusive_scan(const Group& group, T v, Op op) {
    for (unsigned step = 1; step < group.size(); step *= 2) {
        T other = group.shfl_up(v, step);
        if (group.thread_rank() >= step) v = op(other, v);
    }
    return v;
}
template <class Group, class T>
T inclusive_scan(const Group& group, T v) {
    return inclusive_scan(group, v, plus<T>());
}
template <class Group, class T>
T exclusive_scan(const Group& group, T v) {
    T up = group.shfl_up(inclusive_scan(group, v), 1);
    return group.thread_rank() ? up : T(0);
}

}  // namespace cooperative_groups
