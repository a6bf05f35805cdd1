// A launch: is the configuration possible, and which OS threads run its blocks.
#include "block.h"

#include "pending.h"

#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <thread>

namespace cudabook {
namespace {

unsigned usable_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    return std::max(1, std::min(16, CPU_COUNT(&set)));  // 16 workers' stacks stay below Linux's limit of mappings
}

// OS threads that wait for a launch and run blocks of it. The thread that launches works along.
class Pool {
public:
    explicit Pool(unsigned size) : workers_(size) {
        for (unsigned i = 1; i < size; ++i) std::thread([this, i] { serve(i); }).detach();
    }

    void run(Launch& launch, bool alone) {
        Preemptible here(reinterpret_cast<void*>(launch.entry));
        if (alone || workers_.size() == 1) {
            worker_of(0).run_blocks(launch);
            return;
        }
        {
            std::lock_guard lock(mutex_);
            launch_ = &launch;
            ++round_;
            busy_ = workers_.size() - 1;
        }
        wake_.notify_all();
        worker_of(0).run_blocks(launch);
        std::unique_lock lock(mutex_);
        idle_.wait(lock, [this] { return busy_ == 0; });
    }

private:
    Worker& worker_of(unsigned i) {
        if (!workers_[i]) workers_[i] = std::make_unique<Worker>();
        return *workers_[i];
    }

    void serve(unsigned i) {
        catch_faults();
        Worker& own = worker_of(i);
        for (unsigned seen = 0;;) {
            Launch* launch;
            {
                std::unique_lock lock(mutex_);
                wake_.wait(lock, [&] { return round_ != seen; });
                seen = round_;
                launch = launch_;
            }
            {
                Preemptible here(reinterpret_cast<void*>(launch->entry));
                own.run_blocks(*launch);
            }
            std::lock_guard lock(mutex_);
            if (--busy_ == 0) idle_.notify_one();
        }
    }

    std::vector<std::unique_ptr<Worker>> workers_;
    std::mutex mutex_;
    std::condition_variable wake_, idle_;
    Launch* launch_ = nullptr;
    unsigned round_ = 0;
    size_t busy_ = 0;
};

std::mutex launching;   // one launch at a time: the emulated device runs them in the order of the calls
Pool* pool = nullptr;   // never destroyed: its threads may outlive static destructors

Pool& the_pool() {
    if (!pool) {
        pool = new Pool(usable_cores());
        pthread_atfork(nullptr, nullptr, [] { pool = nullptr; });  // a child process has none of the threads
    }
    return *pool;
}

std::string text_of(dim3 v) { return std::to_string(v.x) + " x " + std::to_string(v.y) + " x " + std::to_string(v.z); }

// The limits of compute capability 9.0 (CUDA C++ Programming Guide, "Technical Specifications"). The code is the one
// that CUDA 13.0 gives on an H200; before CUDA 13 an impossible grid or block was cudaErrorInvalidConfiguration.
Fault refuse(const Config& c, const Kernel* kernel) {
    uint64_t threads = uint64_t(c.block.x) * c.block.y * c.block.z;
    if (!c.grid.x || !c.grid.y || !c.grid.z)
        return {
            cudaErrorInvalidValue, "empty grid",
            "The grid has " + text_of(c.grid) + " blocks: a launch needs at least one. Return early for empty input."};
    if (!threads)
        return {cudaErrorInvalidValue, "empty block",
                "A block has " + text_of(c.block) + " threads: it needs at least one."};
    if (threads > 1024 || c.block.z > 64)
        return {cudaErrorInvalidValue, "block too large",
                "A block has " + text_of(c.block) + " = " + std::to_string(threads) +
                    " threads: at most 1024, and at most 64 in z."};
    if (c.grid.x > 0x7fffffffu || c.grid.y > 65535 || c.grid.z > 65535)
        return {cudaErrorInvalidValue, "grid too large",
                "The grid has " + text_of(c.grid) + " blocks: at most 2147483647 x 65535 x 65535."};
    size_t limit = kernel ? kernel->max_dynamic_shared : 48 * 1024;
    size_t fixed = kernel ? kernel->static_shared : 0;
    size_t in_all = limit > 48 * 1024 ? shared_arena_bytes : 48 * 1024;  // an opt-in speaks of dynamic memory alone
    if (c.dynamic_shared > limit || c.dynamic_shared + fixed > in_all) {
        std::string why = std::to_string(c.dynamic_shared) + " bytes of dynamic shared memory" +
                          (fixed ? " and " + std::to_string(fixed) + " of static" : "") + " were asked for; ";
        why += c.dynamic_shared + fixed > shared_arena_bytes
                   ? "a block can have at most " + std::to_string(shared_arena_bytes) + "."
                   : "without cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) a block "
                     "gets at most " +
                         std::to_string(std::max<size_t>(limit, 48 * 1024)) + " in all.";
        return {cudaErrorInvalidValue, "too much shared memory", why};
    }
    if (kernel && threads > kernel->max_threads)
        return {cudaErrorInvalidValue, "more threads than __launch_bounds__",
                "A block has " + std::to_string(threads) + " threads, but __launch_bounds__ promises at most " +
                    std::to_string(kernel->max_threads) + "."};
    return {};
}

}  // namespace

void run_launch(const LaunchSite& site, const Config& config, void (*entry)(void*), void* closure) {
    Kernel* kernel = nullptr;
    if (worker)
        worker->fail({cudaErrorNotSupported, "launch inside a kernel",
                      std::string("Kernel ") + site.text +
                          " is launched by a kernel: the emulator does not support dynamic parallelism."});
    probe = &kernel;
    entry(closure);
    probe = nullptr;

    if (sticky_error() != cudaSuccess) return;
    std::string at = std::string(site.text) + " (" + site.file + ":" + std::to_string(site.line) + "): ";
    Fault refusal = refuse(config, kernel);
    if (refusal.error != cudaSuccess) {
        set_error(refusal.error, at + refusal.kind + ". " + refusal.message);
        return;
    }

    std::lock_guard lock(launching);
    catch_faults();
    Launch launch{site,
                  config,
                  kernel,
                  entry,
                  closure,
                  config.block.x * config.block.y * config.block.z,
                  uint64_t(config.grid.x) * config.grid.y * config.grid.z};
    Profile profile;
    if (profiling()) launch.profile = &profile;
    if (sanitizer) sanitizer->start_launch(site.text);
    // One core while memory is watched for races: then no lock is needed, and reports come in a fixed order.
    bool small = sanitizer || launch.blocks == 1 || launch.blocks * launch.block_size < 4096;
    DeviceView view(config.stream);
    if (config.cooperative) run_cooperative(launch);
    else the_pool().run(launch, small);
    fflush(stdout);  // what device code printed
    if (launch.profile) keep_profile(launch, profile);
    if (sanitizer) {
        const Fault& f = launch.fault;
        bool barrier = f.kind.find("barrier") != std::string::npos || f.kind.find("warp") != std::string::npos;
        if (launch.stopped && f.kind != "reported")
            sanitizer->add({barrier ? "synccheck" : "memcheck", f.kind, f.message, "", ""});
        sanitizer->finish_launch();
    }
    if (launch.stopped) set_sticky_error(launch.fault.error, at + launch.fault.kind + ". " + launch.fault.message);
}

}  // namespace cudabook
