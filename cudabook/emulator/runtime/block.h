// One block at a time on one OS thread: its CUDA threads are fibers, its shared memory is an arena.
#pragma once
#include "fiber.h"
#include "position.h"
#include "sanitize.h"
#include "trace.h"

#include "cudabook/launch.h"
#include "cudabook/tensor.h"
#include "cudabook/warp.h"

#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace cudabook {

constexpr unsigned max_block_threads = 1024;
constexpr size_t stack_bytes = 256 * 1024;          // a CUDA thread's "local memory"
constexpr size_t shared_arena_bytes = 227 * 1024;   // the most that a block can have on compute capability 9.0
constexpr size_t gap_bytes = 256, most_gaps = 64;    // between static variables, while sanitizing
constexpr size_t arena_size = shared_arena_bytes + 1024 + gap_bytes * most_gaps;
constexpr size_t around_arena = 1 << 20;            // where nothing is: a step out of shared memory faults

// Why a launch was stopped. `message` is a sentence for the reader.
struct Fault {
    cudaError_t error = cudaSuccess;
    std::string kind, message;
};

// Everything that the blocks of one launch have in common.
struct Launch {
    LaunchSite site;
    Config config;
    Kernel* kernel;
    void (*entry)(void*);
    void* closure;
    unsigned block_size;
    uint64_t blocks;
    std::atomic<uint64_t> next_block{0};
    std::atomic<bool> stopped{false};
    Profile* profile = nullptr;  // where requests are added up, if they are counted
    std::mutex adding;
    Fault fault{};  // written once, by whoever sets `stopped` first

    void stop(Fault why);
};

// What a parked thread waits for: *counter to differ from `value`.
struct Wait {
    const unsigned* counter;
    unsigned value;
    const char* file;
    int line;
};

struct Thread {
    Suspended context;
    Wait wait;
    unsigned stack;
    enum State : unsigned char { unstarted, running, parked, done } state;
};

// A rendezvous of all threads of the block that have not exited.
struct Barrier {
    unsigned generation = 0;
    unsigned arrived = 0;
    int line = 0;
    bool lines_differ = false;
    unsigned count[2] = {};  // of threads that gave true, this generation's and the last one's
};

// A rendezvous of the lanes of one warp that a mask names. The values of two meetings are kept: a lane may reach the
// next meeting before another has read the values of the last, but not the one after it.
struct Meeting {
    unsigned generation = 0, mask = 0, arrived = 0;
    bool orders = false;  // memory: a __syncwarp(), not a shuffle
    unsigned unread = 0;  // lanes that have met but not gone on yet: until then the mask cannot change
    unsigned present[2];
    uint64_t value[2][32];
};

// What the lanes of a warp bring to an instruction that they execute as one.
struct Gathering {
    unsigned generation = 0;
    Instruction at;
    void* part[32];
};

struct Warp {
    unsigned done = 0;     // lanes that do not exist or have returned from the kernel
    unsigned resting = 0;  // lanes that are parked and not yet free to go on
    unsigned open = 0;     // which of its 32 meetings some lane waits in
    unsigned asking = 0;   // lanes parked in __activemask()
    unsigned syncs = 0;      // __syncwarp()s that have happened
    unsigned last_full = 0;  // the number of the last one that all lanes took part in
    unsigned at_access = 0;  // lanes parked before a load or store, where accesses are watched
    unsigned spins = 0;      // atomics and volatile accesses in a row
    unsigned gathered = 0;   // lanes that have come to an instruction of the whole warp
};

// One cp.async. `group` counts the commits before it.
struct AsyncCopy {
    char* to;
    const char* from;
    unsigned bytes, from_bytes, group;
    uintptr_t pc;
};
struct Copies {
    std::deque<AsyncCopy> under_way;
    unsigned commits = 0;
};

class Cooperation;  // the blocks of a cooperative launch

class Worker {
public:
    explicit Worker(unsigned threads = max_block_threads);  // of the largest block that it will run
    ~Worker();
    Worker(const Worker&) = delete;

    void run_blocks(Launch& launch);  // takes blocks until none is left or the launch is stopped
    void run_cooperative_block(Launch& launch, uint64_t block, Cooperation& cooperation);

    // Called from a kernel, on the running thread's stack.
    void barrier(const char* file, int line) { barrier_count(false, file, line); }
    unsigned barrier_count(bool value, const char* file, int line);
    Met meet(unsigned mask, uint64_t value, const char* file, int line, bool orders = false);
    unsigned active_lanes(const char* file, int line);
    // An instruction of the whole warp: the lane that comes last performs it, with the parts of all, by lane.
    void together(const Instruction& at, void* part, void (*perform)(void* const* parts));
    void count_tensor_flops(unsigned of_warp) {
        if (launch_->profile && current_ % 32 == 0) profile_.tensor_flops += of_warp;
    }
    void access(Access access);
    void async_copy(const AsyncCopy& copy);
    void async_commit();
    void async_wait(unsigned groups_left);
    void call(int change) { positions_[current_].call(change); }
    void enter() { inside_[current_] = true; }
    void basic_block(uintptr_t start) {
        positions_[current_].enter(start, loops_);
        if (size_t at = start - profile_.text.begin; at < profile_.entered.size()) ++profile_.entered[at];
    }
    void* shared(const SharedSite& site);
    void* dynamic_shared();
    [[noreturn]] void fail(Fault fault);
    unsigned current() const { return current_; }
    std::string shared_name(size_t offset, size_t& start) const;  // of the variable there, and where it starts
    bool shared_is_declared(size_t offset, size_t bytes) const;
    bool is_shared_name(const std::string& name) const;
    void report_of_thread(Report report) const;  // with block and thread filled in
    uintptr_t arena_begin() const { return reinterpret_cast<uintptr_t>(arena_); }
    bool synced(unsigned thread, unsigned other, unsigned since) const;  // by a __syncwarp of both
    void fence(bool of_block);
    void pause();  // lets others go first
    void grid_barrier(const char* file, int line);
    bool is_cooperative() const { return cooperation_; }
    std::vector<Cell> shared_cells;  // what the sanitizer knows of the block's shared memory
    std::string where() const;  // "thread (1, 0, 0) of block (0, 0, 0)"
    bool on_guard_page(const void* address) const;

private:
    friend void run_threads_trampoline();
    bool watches() const { return (launch_->profile || sanitizer) && inside_[current_]; }
    Copies& copies();  // of the running thread
    void abandon_copies();
    void begin(Launch& launch);
    void finish();
    void run_block(uint64_t index);
    Party party(uintptr_t pc) const;  // the running thread, now
    void settle(const Access* next = nullptr);
    void run_threads();          // on a fiber stack: starts threads until none is left
    void park(Wait wait);
    [[noreturn]] void hand_over();
    unsigned find_ready() const;
    Suspended resume(unsigned thread);
    Suspended new_stack();
    void set_current(unsigned thread);
    bool barrier_is_complete() const;
    void open_barrier();
    void report_stuck();
    unsigned meeting_of(unsigned warp, unsigned mask) const;
    void close_if_complete(unsigned warp, unsigned meeting);
    void lane_left(unsigned thread);   // it has returned from the kernel
    void lane_rests(unsigned thread);  // it has parked: perhaps others of its warp can go on now
    void let_go(unsigned warp, unsigned lanes);
    void make_request(unsigned warp);
    bool is_value_of_meeting(const char* address) const;
    void answer_active_lanes(unsigned warp);
    [[noreturn]] void report_divergent_warp(unsigned warp, const Instruction* other = nullptr);
    std::string describe_waiters() const;

    const unsigned capacity_;
    Launch* launch_ = nullptr;
    Cooperation* cooperation_ = nullptr;
    std::vector<Thread> threads_;
    std::vector<uint3> index_;        // threadIdx of every thread of a block of this launch
    std::vector<unsigned> free_stacks_;
    unsigned stack_ = 0, current_ = 0, size_ = 0, next_ = 0, done_ = 0, ready_ = 0, resumed_ = 0;
    Barrier barrier_;
    std::vector<Warp> warps_;
    std::vector<Meeting> meetings_;   // 32 a warp; made by the first warp function
    std::vector<Gathering> gatherings_;  // by warp; made by the first
    std::vector<unsigned> answers_;   // of __activemask(), by thread
    std::vector<Access> accesses_;    // of threads parked before one
    std::vector<unsigned> turn_;  // counts the times that a thread was let go on after asking or before an access
    std::vector<Position> positions_{max_block_threads};  // by thread, where accesses are watched
    Loops loops_;
    std::vector<char> inside_;  // the kernel's body, by thread: what the launch itself reads does not count
    std::vector<Copies> copies_;  // by thread; made by the first
    Profile profile_;
    uint64_t block_number_ = 0;
    struct PartialSync {
        unsigned warp, number, mask;
    };
    std::vector<PartialSync> partial_syncs_;
    Suspended main_ = nullptr;
    char* stacks_ = nullptr;

    struct Placed {
        const SharedSite* site;
        size_t offset;
    };
    std::vector<Placed> placed_;  // this launch's __shared__ variables, in order of first use
    size_t static_shared_ = 0;   // where they end
    size_t counted_shared_ = 0;  // how many bytes they are on a GPU
    char* arena_ = nullptr;
};

extern __thread Worker* worker __attribute__((tls_model("initial-exec")));  // null outside a kernel

bool is_builtin_variable(const void* address);  // blockDim or gridDim, which the compiler does not take for constants

void run_cooperative(Launch& launch);

// While it lives, this OS thread's CUDA threads take turns even if they never wait: preempt.cpp.
class Preemptible {
public:
    explicit Preemptible(void* kernels_code);
    ~Preemptible();
};

// kernels.cpp
struct Occupancy {
    unsigned blocks;  // that an SM can hold at once
    const char* limited;  // by what
};
Occupancy occupancy(unsigned threads, size_t shared);

// profiles.cpp
bool profiling();
void keep_profile(const Launch& launch, const Profile& profile);

// faults.cpp
void catch_faults();  // once a process: SIGSEGV, SIGBUS, SIGFPE in a kernel
cudaError_t set_error(cudaError_t error,
                      std::string why = "");  // this host thread's last error and the sentence for it
// A kernel that went wrong takes the device with it: every later call gives the same error.
void set_sticky_error(cudaError_t error, std::string why);
cudaError_t sticky_error();
void recover();
#define CUDABOOK_UNLESS_STICKY \
    if (cudaError_t sticky = cudabook::sticky_error(); sticky != cudaSuccess) return sticky

}  // namespace cudabook
