// A thread that spins until another thread of its block writes something would spin for ever, since fibers are not
// preempted; on a GPU every thread makes progress (compute capability 7.0 and newer). So while a launch takes long, a
// signal comes to its OS threads now and then, and a CUDA thread that it finds in the kernel's own code lets the
// others go first.
#include "block.h"

#include <cfenv>
#include <chrono>
#include <condition_variable>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <set>
#include <signal.h>
#include <thread>
#include <ucontext.h>

namespace cudabook {
namespace {

constexpr auto patience = std::chrono::milliseconds(20);
constexpr int signal_number = SIGURG;  // ignored by whoever does not expect it

// Never destroyed: the thread that watches outlives static destructors.
auto& guard = *new std::mutex;
auto& changed = *new std::condition_variable;
std::set<pthread_t>* running = nullptr;
bool asleep = false;  // the thread that watches, until a launch begins

// The kernel's own library: only there is a thread sure to hold no lock.
thread_local Text text;

void on_signal(int, siginfo_t*, void* context) {
    auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    uintptr_t pc = uintptr_t(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
    uintptr_t pc = machine.pc;
#else
    uintptr_t pc = 0;
    (void)machine;
#endif
    if (!worker || pc < text.begin || pc >= text.end) return;
    fesetround(FE_TONEAREST);
    worker->pause();
}

void watch() {
    std::unique_lock lock(guard);
    for (;;) {
        asleep = true;
        changed.wait(lock, [] { return !running->empty(); });
        asleep = false;
        changed.wait_for(lock, patience, [] { return running->empty(); });
        for (pthread_t thread : *running) pthread_kill(thread, signal_number);
    }
}

}  // namespace

Text text_of(const void* function) {
    Text text;
    Dl_info info;
    if (!dladdr(function, &info)) return text;
    struct Wanted {
        uintptr_t base;
        Text* text;
    } wanted{reinterpret_cast<uintptr_t>(info.dli_fbase), &text};
    dl_iterate_phdr(
        [](dl_phdr_info* library, size_t, void* data) {
            auto& wanted = *static_cast<Wanted*>(data);
            for (int i = 0; i < library->dlpi_phnum; ++i) {
                const auto& part = library->dlpi_phdr[i];
                if (library->dlpi_addr == wanted.base && part.p_type == PT_LOAD && (part.p_flags & PF_X))
                    *wanted.text = {wanted.base + part.p_vaddr, wanted.base + part.p_vaddr + part.p_memsz};
            }
            return 0;
        },
        &wanted);
    return text;
}

Preemptible::Preemptible(void* kernels_code) {
    auto code = reinterpret_cast<uintptr_t>(kernels_code);
    if (code < text.begin || code >= text.end) text = text_of(kernels_code);  // another library than the last launch's
    std::lock_guard lock(guard);
    if (!running) {
        struct sigaction action{};
        action.sa_sigaction = on_signal;
        action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;  // on the fiber's own stack
        sigaction(signal_number, &action, nullptr);
        running = new std::set<pthread_t>;
        std::thread(watch).detach();
        pthread_atfork(nullptr, nullptr, [] { running = nullptr; });  // a child process has no watching thread
    }
    running->insert(pthread_self());
    if (asleep) changed.notify_one();
}

Preemptible::~Preemptible() {
    std::lock_guard lock(guard);
    running->erase(pthread_self());
}

}  // namespace cudabook
