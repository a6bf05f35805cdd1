// Three fibers and the main stack hand over to each other; each keeps integers and floats in registers across it.
#include "fiber.h"

#include <cstdio>
#include <cstdlib>

using cudabook::cudabook_switch;

constexpr int FIBERS = 3, ROUNDS = 100000;
static cudabook::Suspended main_context, contexts[FIBERS];
static int current, switches;
alignas(64) static char stacks[FIBERS][1 << 16];

static void body() {
    int me = current;
    long a = me + 1, b = 2 * me + 1, c = 7, d = me * me, e = 11 - me, f = me + 100;
    double x = me + 0.5, y = 1.25 * me, z = 3.0, w = me - 2.0;
    if (reinterpret_cast<size_t>(__builtin_frame_address(0)) % 16 != 0) std::abort();
    for (int i = 1; i <= ROUNDS; ++i) {
        a += b, c += d, e += f;
        x += y, z += w;
        ++switches;
        cudabook_switch(&contexts[me], main_context);
        bool integers = a == me + 1 + long(i) * b && c == 7 + long(i) * d && e == 11 - me + long(i) * f;
        bool floats = x == me + 0.5 + i * y && z == 3.0 + i * w;
        if (!integers || !floats) std::abort();
    }
    for (;;) cudabook_switch(&contexts[me], main_context);
}

int main() {
    for (int i = 0; i < FIBERS; ++i)
        contexts[i] = cudabook::prepare_stack(stacks[i], stacks[i] + sizeof stacks[i], body);
    for (int round = 0; round < ROUNDS; ++round) {
        for (current = 0; current < FIBERS; ++current) cudabook_switch(&main_context, contexts[current]);
    }
    for (current = 0; current < FIBERS; ++current) cudabook_switch(&main_context, contexts[current]);
    std::printf("ok %d switches\n", switches);
}
