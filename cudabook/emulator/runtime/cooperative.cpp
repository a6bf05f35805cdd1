// Cooperative launches: every block is there at once, each on an OS thread of its own, and one of them runs at a time.
// It runs until it ends or waits at the grid's barrier, and hands on to the next block in the order of their numbers.
#include "block.h"

#include <memory>
#include <semaphore>
#include <thread>

namespace cudabook {
namespace {

struct Seat {
    std::binary_semaphore turn{0};
    enum { ready, waiting, done } state = ready;
};

}  // namespace

class Cooperation {
public:
    explicit Cooperation(Launch& launch) : launch_(launch), seats_(launch.blocks) {}

    void run() {
        std::vector<std::thread> threads;
        for (uint64_t b = 0; b < seats_.size(); ++b) threads.emplace_back([this, b] { serve(b); });
        seats_[0].turn.release();
        for (auto& thread : threads) thread.join();
    }

    // Called by one thread of a block when all of the block have come. False: the launch is over.
    bool arrive(uint64_t me) {
        seats_[me].state = Seat::waiting;
        if (++arrived_ == seats_.size()) {
            arrived_ = 0;
            for (Seat& seat : seats_) seat.state = Seat::ready;
            if (sanitizer) sanitizer->grid_barrier();
        }
        hand_on(me);
        seats_[me].turn.acquire();
        return !launch_.stopped;
    }

private:
    void serve(uint64_t me) {
        catch_faults();
        Worker own(launch_.block_size);
        Preemptible here(reinterpret_cast<void*>(launch_.entry));
        seats_[me].turn.acquire();
        if (!launch_.stopped) own.run_cooperative_block(launch_, me, *this);
        seats_[me].state = Seat::done;
        ++done_;
        hand_on(me);
    }

    void hand_on(uint64_t me) {
        if (done_ == seats_.size()) return;
        for (;;) {
            for (uint64_t i = 1; i <= seats_.size(); ++i) {
                Seat& seat = seats_[(me + i) % seats_.size()];
                if (seat.state == Seat::ready || (seat.state == Seat::waiting && launch_.stopped)) {
                    seat.turn.release();
                    return;
                }
            }
            launch_.stop({cudaErrorLaunchFailure, "unreachable barrier",
                          "The grid's barrier is not reached by all blocks: " + std::to_string(arrived_) + " of " +
                              std::to_string(seats_.size()) + " wait there, and " + std::to_string(done_) +
                              " have returned. Every thread of the grid must call grid.sync() equally often."});
        }
    }

    Launch& launch_;
    std::vector<Seat> seats_;
    uint64_t arrived_ = 0, done_ = 0;
};

void run_cooperative(Launch& launch) { Cooperation(launch).run(); }

void Worker::run_cooperative_block(Launch& launch, uint64_t block, Cooperation& cooperation) {
    cooperation_ = &cooperation;
    begin(launch);
    run_block(block);
    finish();
}

void Worker::grid_barrier(const char* file, int line) {
    if (!cooperation_)
        fail({cudaErrorLaunchFailure, "grid barrier",
              std::string("grid.sync() at ") + file + ":" + std::to_string(line) +
                  " in a launch that is not cooperative: use cudaLaunchCooperativeKernel."});
    barrier(file, line);
    if (current_ == 0 && !cooperation_->arrive(block_number_)) fail({});
    barrier(file, line);
}

void grid_barrier(const char* file, int line) { worker->grid_barrier(file, line); }
bool is_cooperative() { return worker->is_cooperative(); }

}  // namespace cudabook
