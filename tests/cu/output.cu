// What a program prints: from device code, and what CUDA's functions return once a kernel has gone wrong.
#include <cassert>
#include <cstdio>
#include <cuda_runtime.h>

__global__ void say_kernel(const float* x) {
    if (threadIdx.x % 16 == 3)
        printf("block (%d, %d) thread %d: x = %.2f %s\n", blockIdx.x, blockIdx.y, threadIdx.x, x[threadIdx.x],
               threadIdx.x > 16 ? "late" : "early");
}

extern "C" void say(const float* x, cudaStream_t stream) {
    say_kernel<<<dim3(2, 2), 32, 0, stream>>>(x);
    cudaStreamSynchronize(stream);
}

__global__ void nothing() {}
__global__ void wild(int* p) { p[1ll << 42] = 1; }
__global__ void asserts(int n) { assert(n + int(threadIdx.x) < 5); }
__global__ void traps() { __trap(); }

static void tell(const char* what, cudaError_t error) { printf("%s: %s\n", what, cudaGetErrorName(error)); }

// which: 0 a launch that is refused, 1 an address that nothing has, 2 an assertion, 3 a trap.
extern "C" void go_wrong(int which, cudaStream_t stream) {
    int *p, host = 0;
    cudaMalloc(&p, 4);
    switch (which) {
        case 0: nothing<<<1, 2000, 0, stream>>>(); break;
        case 1: wild<<<1, 1, 0, stream>>>(p); break;
        case 2: asserts<<<1, 32, 0, stream>>>(0); break;
        case 3: traps<<<1, 1, 0, stream>>>(); break;
    }
    tell("peek", cudaPeekAtLastError());
    tell("synchronize", cudaDeviceSynchronize());
    tell("first", cudaGetLastError());
    tell("second", cudaGetLastError());
    tell("copy", cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost));
    tell("allocate", cudaMalloc(&p, 4));
    nothing<<<1, 1, 0, stream>>>();
    tell("launch", cudaPeekAtLastError());  // left for the caller
    fflush(stdout);
}
