#include "block.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace cudabook {

struct Triple {
    unsigned x, y, z;
};
__thread Triple thread_index __asm__("cudabook_threadIdx") __attribute__((visibility("default")));
__thread Triple block_index __asm__("cudabook_blockIdx") __attribute__((visibility("default")));
__thread Triple block_size __asm__("cudabook_blockDim") __attribute__((visibility("default")));
__thread Triple grid_size __asm__("cudabook_gridDim") __attribute__((visibility("default")));
__thread Kernel** probe = nullptr;
__thread Worker* worker = nullptr;

void run_threads_trampoline() { worker->run_threads(); }

namespace {

// Neighbouring stacks start at different offsets within a page, or the hot frames of 1,024 parked threads would
// all fall into the same few cache sets.
size_t stack_colour(unsigned stack) { return stack % 15 * 256; }

char* map(size_t bytes) {
    void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    return static_cast<char*>(p);
}

std::string triple(uint3 v) {
    return "(" + std::to_string(v.x) + ", " + std::to_string(v.y) + ", " + std::to_string(v.z) + ")";
}

}  // namespace

Worker::Worker(unsigned threads) : capacity_(threads) {
    stacks_ = map(capacity_ * stack_bytes);
    // Not for the many workers of a cooperative launch: a process may have 65,530 mappings.
    for (unsigned i = 0; i < capacity_ && capacity_ == max_block_threads; ++i)
        mprotect(stacks_ + i * stack_bytes, getpagesize(), PROT_NONE);
    arena_ = map(arena_size + 2 * around_arena) + around_arena;
    mprotect(arena_ - around_arena, around_arena, PROT_NONE);
    mprotect(arena_ + arena_size, around_arena, PROT_NONE);
    threads_.resize(max_block_threads);
    for (auto* counters : {&answers_, &turn_}) counters->resize(max_block_threads);
    inside_.resize(max_block_threads);
    accesses_.resize(max_block_threads);
    warps_.resize(max_block_threads / 32);
    index_.resize(max_block_threads);
    free_stacks_.reserve(max_block_threads);
}

Worker::~Worker() {
    munmap(stacks_, capacity_ * stack_bytes);
    munmap(arena_ - around_arena, arena_size + 2 * around_arena);
}

bool Worker::on_guard_page(const void* address) const {
    auto offset = static_cast<const char*>(address) - stacks_;
    return offset >= 0 && size_t(offset) < capacity_ * stack_bytes &&
           size_t(offset) % stack_bytes < size_t(getpagesize());
}

void Launch::stop(Fault why) {
    bool expected = false;
    if (stopped.compare_exchange_strong(expected, true)) fault = std::move(why);
}

void Worker::run_blocks(Launch& launch) {
    begin(launch);
    uint64_t chunk = launch.blocks / 256 + 1;
    while (!launch.stopped.load(std::memory_order_relaxed)) {
        uint64_t first = launch.next_block.fetch_add(chunk), last = std::min(first + chunk, launch.blocks);
        for (uint64_t b = first; b < last && !launch.stopped.load(std::memory_order_relaxed); ++b) run_block(b);
        if (last >= launch.blocks) break;
    }
    finish();
}

void Worker::begin(Launch& launch) {
    launch_ = &launch;
    size_ = launch.block_size;
    placed_.clear();
    static_shared_ = counted_shared_ = 0;
    dim3 block = launch.config.block, grid = launch.config.grid;
    block_size = {block.x, block.y, block.z};
    grid_size = {grid.x, grid.y, grid.z};
    for (unsigned t = 0; t < size_; ++t) index_[t] = {t % block.x, t / block.x % block.y, t / block.x / block.y};
    if (sanitizer) shared_cells.resize(arena_size / 4);
    for (Cell& cell : shared_cells) cell.block = ~uint64_t(0);
    if (launch.profile) {
        profile_.text = text_of(reinterpret_cast<void*>(launch.entry));
        profile_.entered.assign(profile_.text.end - profile_.text.begin, 0);
    }
    worker = this;
}

void Worker::finish() {
    worker = nullptr;
    if (launch_->profile) {
        std::lock_guard lock(launch_->adding);
        launch_->profile->add(profile_);
        profile_.clear();
    }
    if (launch_->stopped) copies_.clear();
    if (launch_->stopped)  // lanes may have been left waiting
        for (Meeting& meeting : meetings_) meeting.arrived = meeting.unread = 0;
}

void Worker::run_block(uint64_t index) {
    dim3 grid = launch_->config.grid;
    block_number_ = index;
    partial_syncs_.clear();
    block_index = {unsigned(index % grid.x), unsigned(index / grid.x % grid.y), unsigned(index / grid.x / grid.y)};
    // Shared memory starts with every byte 0xff: NaN as a float, -1 as an int, so that a missing store shows.
    memset(arena_, 0xff, static_shared_);
    memset(dynamic_shared(), 0xff, launch_->config.dynamic_shared);
    for (unsigned t = 0; t < size_; ++t) threads_[t].state = Thread::unstarted;
    next_ = done_ = ready_ = 0;
    barrier_ = {barrier_.generation};
    for (unsigned w = 0; w < (size_ + 31) / 32; ++w) {
        unsigned lanes = std::min(32u, size_ - 32 * w);
        warps_[w] = {lanes == 32 ? 0 : ~0u << lanes};
    }
    free_stacks_.clear();
    for (unsigned s = capacity_; s-- > 0;) free_stacks_.push_back(s);
    cudabook_switch(&main_, new_stack());
}

Suspended Worker::new_stack() {
    stack_ = free_stacks_.back();
    free_stacks_.pop_back();
    char* bottom = stacks_ + stack_ * stack_bytes;
    return prepare_stack(bottom + getpagesize(), bottom + stack_bytes - stack_colour(stack_), run_threads_trampoline);
}

inline void Worker::set_current(unsigned thread) {
    current_ = thread;
    threads_[thread].state = Thread::running;
    memcpy(&thread_index, &index_[thread], sizeof thread_index);
}

void Worker::run_threads() {
    while (next_ < size_) {
        set_current(next_++);
        inside_[current_] = false;
        positions_[current_].clear();
        launch_->entry(launch_->closure);
        abandon_copies();
        settle();
        threads_[current_].state = Thread::done;
        ++done_;
        if (barrier_.arrived && barrier_is_complete()) open_barrier();
        lane_left(current_);
    }
    hand_over();
}

// The running thread has finished and no thread is left to start: its stack is given back.
void Worker::hand_over() {
    free_stacks_.push_back(stack_);
    Suspended nowhere;
    if (done_ < size_) {
        if (ready_ == 0) report_stuck();
        else cudabook_switch(&nowhere, resume(find_ready()));
    }
    cudabook_switch(&nowhere, main_);
    __builtin_unreachable();
}

void Worker::park(Wait wait) {
    Thread& self = threads_[current_];
    self.wait = wait;
    self.stack = stack_;
    self.state = Thread::parked;
    lane_rests(current_);
    // Now and then a new thread starts although others could go on: they may be spinning until it has done its part.
    bool start = next_ < size_ && (ready_ == 0 || ++resumed_ % 64 == 0);
    if (ready_ > 0 && !start) {
        unsigned next = find_ready();
        Suspended context = resume(next);
        if (&threads_[next] != &self) cudabook_switch(&self.context, context);
    } else if (start) {
        cudabook_switch(&self.context, new_stack());
    } else {
        report_stuck();
        cudabook_switch(&self.context, main_);
    }
}

void Worker::pause() {
    Thread& self = threads_[current_];
    self.wait = {&turn_[current_], turn_[current_] - 1, "", 0};  // over at once
    self.stack = stack_;
    self.state = Thread::parked;
    ++ready_;
    if (next_ < size_) {
        cudabook_switch(&self.context, new_stack());
        return;
    }
    unsigned next = find_ready();
    Suspended context = resume(next);
    if (&threads_[next] != &self) cudabook_switch(&self.context, context);
}

// The next parked thread, in the order of their numbers, whose wait is over.
unsigned Worker::find_ready() const {
    for (unsigned t = current_ + 1;; ++t) {
        if (t >= size_) t = 0;
        const Thread& thread = threads_[t];
        if (thread.state == Thread::parked && *thread.wait.counter != thread.wait.value) return t;
    }
}

Suspended Worker::resume(unsigned thread) {
    --ready_;
    set_current(thread);
    stack_ = threads_[thread].stack;
    return threads_[thread].context;
}

unsigned Worker::barrier_count(bool value, const char* file, int line) {
    settle();
    Barrier& b = barrier_;
    unsigned generation = b.generation;
    if (b.arrived == 0) {
        b.line = line;
        b.count[generation % 2] = 0;
    } else if (line != b.line) {
        b.lines_differ = sanitizer != nullptr;  // a GPU counts arrivals, wherever they come from
    }
    b.count[generation % 2] += value;
    ++b.arrived;
    if (!barrier_is_complete()) {
        park({&b.generation, generation, file, line});
        return b.count[generation % 2];
    }
    threads_[current_].wait = {&b.generation, generation, file, line};
    if (b.lines_differ) threads_[current_].state = Thread::parked;  // to be named in the report
    open_barrier();
    --ready_;  // it did not park
    return b.count[generation % 2];
}

// Threads that have returned count as arrived, as on a GPU since compute capability 7.0. Not for the sanitizer: that a
// part of the block has left before a barrier is rarely what was meant.
bool Worker::barrier_is_complete() const { return barrier_.arrived + (sanitizer ? 0 : done_) == size_; }

void Worker::open_barrier() {
    Barrier& b = barrier_;
    if (b.lines_differ)
        fail({cudaErrorLaunchFailure, "divergent barrier",
              "The threads of a block met at different __syncthreads(): " + describe_waiters() +
                  ". Every thread of a block must reach the same barrier; move it out of the branch."});
    ready_ += b.arrived;
    b.arrived = 0;
    ++b.generation;
    for (unsigned w = 0; w < (size_ + 31) / 32; ++w) warps_[w].resting = 0;
}

std::string Worker::describe_waiters() const {
    std::map<std::pair<std::string, int>, unsigned> groups;
    for (unsigned t = 0; t < size_; ++t)
        if (threads_[t].state == Thread::parked) ++groups[{threads_[t].wait.file, threads_[t].wait.line}];
    std::string text;
    for (auto& [place, count] : groups) {
        if (!text.empty()) text += ", ";
        text += std::to_string(count) + (count == 1 ? " waits at " : " wait at ") + place.first + ":" +
                std::to_string(place.second);
    }
    return text;
}

// No thread can run: some wait, the others have left the kernel.
void Worker::report_stuck() {
    const Kernel* kernel = launch_->kernel;
    std::string left = std::to_string(done_) + " of " + std::to_string(size_) + " threads have returned from " +
                       std::string(launch_->site.text) +
                       (kernel ? " (" + std::string(kernel->file) + ":" + std::to_string(kernel->line) + ")" : "");
    launch_->stop({cudaErrorLaunchFailure, "unreachable barrier",
                   "A barrier that not all threads of block " + triple({block_index.x, block_index.y, block_index.z}) +
                       " reach: " + describe_waiters() + ", while " + left +
                       ". Let every thread reach the barrier and guard only the work around it."});
}

std::string Worker::where() const {
    return "thread " + triple(index_[current_]) + " of block " + triple({block_index.x, block_index.y, block_index.z});
}

void Worker::fail(Fault fault) {
    launch_->stop(std::move(fault));
    Suspended nowhere;
    cudabook_switch(&nowhere, main_);
    __builtin_unreachable();
}

void* Worker::shared(const SharedSite& site) {
    for (const Placed& p : placed_)
        if (p.site == &site) return arena_ + p.offset;
    // First use in this launch: static variables lie one after another. While sanitizing there are gaps between them,
    // so that a step out of one is not one into the next; these do not count.
    auto after = [&](size_t end) { return (end + site.align - 1) / site.align * site.align + site.size; };
    size_t gap = sanitizer && static_shared_ && placed_.size() <= most_gaps ? gap_bytes : 0;
    size_t end = after(static_shared_ + gap), dynamic = launch_->config.dynamic_shared;
    counted_shared_ = after(counted_shared_);
    if (counted_shared_ > 48 * 1024)
        fail({cudaErrorInvalidValue, "too much shared memory",
              std::string("The __shared__ variables of ") + launch_->site.text + " need " +
                  std::to_string(counted_shared_) +
                  " bytes; a kernel may declare at most 49152. Use dynamic shared memory for more."});
    if (counted_shared_ + dynamic > shared_arena_bytes)
        fail({cudaErrorInvalidValue, "too much shared memory",
              std::to_string(counted_shared_) + " bytes of static and " + std::to_string(dynamic) +
                  " bytes of dynamic shared memory are more than the " + std::to_string(shared_arena_bytes) +
                  " bytes that a block can have."});
    memset(arena_ + static_shared_, 0xff, end - static_shared_);
    static_shared_ = end;
    size_t offset = end - site.size;
    placed_.push_back({&site, offset});
    if (launch_->kernel) launch_->kernel->static_shared = std::max(launch_->kernel->static_shared, counted_shared_);
    return arena_ + offset;
}

void* Worker::dynamic_shared() {
    // At the end of the arena, so that it need not wait for the static layout to be complete.
    return arena_ + (arena_size - launch_->config.dynamic_shared) / 1024 * 1024;
}

std::string Worker::shared_name(size_t offset, size_t& start) const {
    size_t dynamic = static_cast<char*>(const_cast<Worker*>(this)->dynamic_shared()) - arena_;
    if (offset >= dynamic) {
        start = dynamic;
        return "dynamic shared memory";
    }
    const Placed* best = nullptr;
    for (const Placed& p : placed_)
        if (p.offset <= offset && (!best || p.offset > best->offset)) best = &p;
    start = best ? best->offset : 0;
    return best ? std::string("__shared__ ") + best->site->names : "shared memory";
}

bool Worker::shared_is_declared(size_t offset, size_t bytes) const {
    size_t dynamic = static_cast<char*>(const_cast<Worker*>(this)->dynamic_shared()) - arena_;
    if (offset >= dynamic) return offset + bytes <= dynamic + launch_->config.dynamic_shared;
    for (const Placed& p : placed_)
        if (offset >= p.offset && offset + bytes <= p.offset + p.site->size) return true;
    return false;
}

bool Worker::is_shared_name(const std::string& name) const {
    for (const Placed& p : placed_)
        if ((", " + std::string(p.site->names) + ",").find(", " + name + ",") != std::string::npos) return true;
    return false;
}

void Worker::report_of_thread(Report report) const {
    report.block = block_number_, report.thread = current_;
    sanitizer->add(std::move(report));
}

Party Worker::party(uintptr_t pc) const {
    return {pc,    0,     uint32_t(block_number_), uint16_t(current_),
            false, false, barrier_.generation,     warps_[current_ / 32].syncs};
}

void Worker::settle(const Access* next) {
    if (sanitizer) sanitizer->settle(current_, next);
}

void Worker::fence(bool of_block) {
    if (sanitizer) sanitizer->fence(party(0), of_block);
}

bool is_builtin_variable(const void* address) {
    auto within = [&](const Triple& v) {
        return size_t(static_cast<const char*>(address) - (const char*)&v) < sizeof v;
    };
    return within(block_size) || within(grid_size);
}

// --- what translated code calls

void barrier(const char* file, int line) { worker->barrier(file, line); }
unsigned barrier_count(bool value, const char* file, int line) { return worker->barrier_count(value, file, line); }
Met meet(unsigned mask, uint64_t value, const char* file, int line) { return worker->meet(mask, value, file, line); }
void sync_warp(unsigned mask, const char* file, int line) { worker->meet(mask, 0, file, line, true); }
unsigned active_lanes(const char* file, int line) { return worker->active_lanes(file, line); }
void* shared(const SharedSite& site) { return worker->shared(site); }
void* dynamic_shared() { return worker->dynamic_shared(); }
unsigned thread_rank() { return worker->current(); }

}  // namespace cudabook
