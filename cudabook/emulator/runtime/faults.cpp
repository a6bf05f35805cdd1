// Errors: the last error of a host thread with the sentence that explains it, and machine faults inside a kernel.
#include "block.h"
#include "pending.h"

#include <atomic>
#include <cassert>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <signal.h>
#include <ucontext.h>

namespace cudabook {
namespace {

thread_local cudaError_t last_error = cudaSuccess;
std::atomic<cudaError_t> sticky{cudaSuccess};
thread_local std::string last_report;

struct sigaction previous[NSIG];

uintptr_t program_counter(void* context) {
    auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return machine.gregs[REG_RIP];
#elif defined(__aarch64__)
    return machine.pc;
#else
    return 0;
#endif
}

// Whether the instruction is one of x86's moves that need an aligned address (movaps, movapd, movdqa and their VEX
// and EVEX forms). Such a move and a non-canonical address raise the same fault, without an address.
bool needs_alignment(uintptr_t pc) {
#if defined(__x86_64__)
    auto* p = reinterpret_cast<const unsigned char*>(pc);
    bool operand_size = false;
    while (*p == 0x66 || *p == 0xf2 || *p == 0xf3 || (*p & 0xf0) == 0x40) operand_size |= *p++ == 0x66;
    unsigned char opcode = 0;
    if (*p == 0x0f) opcode = p[1];
    if (*p == 0xc5) opcode = p[2], operand_size = (p[1] & 3) == 1;
    if (*p == 0xc4) opcode = p[3], operand_size = (p[2] & 3) == 1;
    if (*p == 0x62) opcode = p[4], operand_size = (p[2] & 3) == 1;
    return opcode == 0x28 || opcode == 0x29 || opcode == 0x2b || (operand_size && (opcode == 0x6f || opcode == 0x7f));
#else
    return pc != 0;
#endif
}

// "file:line" of an instruction, from the debugging information, through addr2line.
std::string source_line(uintptr_t pc) {
    Dl_info info;
    if (!pc || !dladdr(reinterpret_cast<void*>(pc), &info)) return "an unknown line";
    char command[1024], text[512] = "";
    snprintf(command, sizeof command, "addr2line -e '%s' 0x%zx 2>/dev/null", info.dli_fname,
             size_t(pc - reinterpret_cast<uintptr_t>(info.dli_fbase)));
    if (FILE* pipe = popen(command, "r")) {
        if (!fgets(text, sizeof text, pipe)) text[0] = 0;
        pclose(pipe);
    }
    text[strcspn(text, "\n")] = 0;
    if (char* rest = strstr(text, " (discriminator")) *rest = 0;
    return text[0] && text[0] != '?' ? text : "an unknown line";
}

// Runs on the signal stack of a worker. If the fault happened in a kernel, the launch ends with a report and the
// worker goes on; else whoever was here before gets the signal.
void on_fault(int signal, siginfo_t* info, void* context) {
    if (signal == SIGSEGV && sanitizer && host_looked_too_early(info->si_addr, program_counter(context))) return;
    if (!worker) {
        sigaction(signal, &previous[signal], nullptr);  // returning repeats the instruction under the old handler
        return;
    }
    uintptr_t pc = program_counter(context);
    std::string line = source_line(pc), who = worker->where();
    char address[32];
    snprintf(address, sizeof address, "%p", info->si_addr);
    if (signal == SIGFPE)
        worker->fail({cudaErrorLaunchFailure, "integer division",
                      "Integer division by zero (or INT_MIN / -1) at " + line + " in " + who +
                          ". A GPU gives an unspecified value here and goes on; guard the division."});
    if (worker->on_guard_page(info->si_addr))
        worker->fail({cudaErrorLaunchFailure, "local memory",
                      "The stack of a CUDA thread is full at " + line + " in " + who + ": the emulator gives each " +
                          std::to_string(stack_bytes / 1024) + " KiB for its local variables and calls."});
    bool address_known = info->si_code != SI_KERNEL;
    if (!address_known && needs_alignment(pc))
        worker->fail({cudaErrorMisalignedAddress, "misaligned address",
                      "An access at " + line + " in " + who +
                          " is wider than its address is aligned: a float4, for example, needs a multiple of 16."});
    worker->fail({cudaErrorIllegalAddress, "illegal address",
                  "Access to " + (address_known ? "address " + std::string(address) + ", which" : "an address that") +
                      " no memory has, at " + line + " in " + who + "."});
}

}  // namespace

// assert() in a kernel; on the host it is the C library's.
void assert_failed(const char* condition, const char* file, int line, const char* function) {
    if (!worker) __assert_fail(condition, file, unsigned(line), function);
    worker->fail({cudaErrorAssert, "device-side assert",
                  "assert(" + std::string(condition) + ") does not hold at " + file + ":" + std::to_string(line) +
                      " in " + worker->where() + "."});
}

cudaError_t set_error(cudaError_t error, std::string why) {
    last_error = error;
    last_report = std::move(why);
    return error;
}

void set_sticky_error(cudaError_t error, std::string why) { sticky = set_error(error, std::move(why)); }
cudaError_t sticky_error() {
    if (sticky != cudaSuccess) last_error = sticky;
    return sticky;
}
void recover() { sticky = last_error = cudaSuccess; }

void catch_faults() {
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction action{};
        action.sa_sigaction = on_fault;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        for (int signal : {SIGSEGV, SIGBUS, SIGFPE}) sigaction(signal, &action, &previous[signal]);
    });
    thread_local char* stack = nullptr;  // kernels run on stacks of their own, which may be the thing that is full
    if (stack) return;
    constexpr size_t bytes = 256 * 1024;
    stack = new char[bytes];
    stack_t alternative{};
    alternative.ss_sp = stack;
    alternative.ss_size = bytes;
    sigaltstack(&alternative, nullptr);
}

}  // namespace cudabook

inline namespace cudabook_cuda {

// Reading it forgets it, that of a kernel too: the next call into CUDA brings that one back.
cudaError_t cudaGetLastError() {
    cudaError_t error = cudabook::last_error;
    cudabook::last_error = cudaSuccess;
    return error;
}
cudaError_t cudaPeekAtLastError() { return cudabook::last_error; }

const char* cudaGetErrorName(cudaError_t error) {
    switch (error) {
#define CUDABOOK_CASE(name, code, text) \
    case name: return #name;
        CUDABOOK_ERRORS(CUDABOOK_CASE)
#undef CUDABOOK_CASE
    }
    return "unrecognized error code";
}
const char* cudaGetErrorString(cudaError_t error) {
    switch (error) {
#define CUDABOOK_CASE(name, code, text) \
    case name: return text;
        CUDABOOK_ERRORS(CUDABOOK_CASE)
#undef CUDABOOK_CASE
    }
    return "unrecognized error code";
}

}  // namespace cudabook_cuda

// Why the last failed call of this host thread failed, as a sentence; empty if it needs none. Handed out once: who
// takes it makes an exception of it, and the device works again, as it does on a GPU in a new process.
extern "C" __attribute__((visibility("default"))) const char* cudabook_take_report() {
    static thread_local std::string taken;
    taken = std::move(cudabook::last_report);
    cudabook::last_report.clear();
    cudabook::recover();
    return taken.c_str();
}
