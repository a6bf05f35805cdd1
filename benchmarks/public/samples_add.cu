// Launches cuda-samples' vector addition.
#define main their_main
#include "NVIDIA+cuda-samples/Samples/0_Introduction/vectorAdd/vectorAdd.cu"
#undef main

extern "C" void run(float* a, float* b, float* c, int n) { vectorAdd<<<(n + 255) / 256, 256>>>(a, b, c, n); }
