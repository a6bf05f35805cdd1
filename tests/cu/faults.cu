// Kernels that go wrong. Emulator only: on a GPU some of them hang and others poison the process.
#include <cuda_runtime.h>

__global__ void early_return(float* out, int n) {  // here: kernel
    if (threadIdx.x >= n) return;
    out[threadIdx.x] = 1;
    __syncthreads();  // here: return
}

__global__ void barrier_in_branch(float* out) {
    if (threadIdx.x % 32 < 16) {
        __syncthreads();  // here: branch
    }
    out[threadIdx.x] = 1;
}

__global__ void two_barriers(float* out) {
    if (threadIdx.x < 8) __syncthreads();  // here: first of two
    else __syncthreads();  // here: second of two
    out[threadIdx.x] = 1;
}

__global__ void loop_of_unequal_length(float* out) {
    for (unsigned i = 0; i <= threadIdx.x / 32; ++i) {
        __syncthreads();  // here: loop
    }
    out[threadIdx.x] = 1;
}

// The last lanes wait for the first one, which waits for them.
__global__ void barrier_against_warp(float* out) {
    if (threadIdx.x % 32 == 0) __syncthreads();  // here: block
    else __syncwarp();                           // here: warp
    out[threadIdx.x] = 1;
}

// The count is of those that are still there, whoever completes the barrier: the last to arrive or the last to leave.
__global__ void count_of_those_left(float* out, int n, int leave_first) {
    if (!leave_first && threadIdx.x >= n) {
        out[threadIdx.x] = -1;
        return;
    }
    if (leave_first && threadIdx.x < 64 - n) return;
    int count = __syncthreads_count(threadIdx.x % 2);
    __syncthreads();
    out[threadIdx.x] = count;
}

__global__ void wild_write(float* out, long long far) {
    if (blockIdx.x == 2 && threadIdx.x == 5) out[far] = 1;  // here: wild
}

__global__ void misaligned(float* out) {
    reinterpret_cast<float4*>(out + 1)[threadIdx.x] = make_float4(1, 2, 3, 4);  // here: misaligned
}

__global__ void divides(int* out, int by) {
    out[threadIdx.x] = 100 / by;  // here: divides
}

__device__ __noinline__ float deep(int n, volatile float* x) {
    volatile float local[1000];
    local[n % 1000] = x[0];
    return n == 0 ? local[0] : deep(n - 1, local) + local[n % 1000];  // here: deep
}

__global__ void deep_stack(float* out, int depth) { out[0] = deep(depth, out); }

extern "C" void run_early_return(float* out, int n) { early_return<<<2, 64>>>(out, n); }
extern "C" void run_barrier_in_branch(float* out) { barrier_in_branch<<<1, 64>>>(out); }
extern "C" void run_two_barriers(float* out) { two_barriers<<<1, 64>>>(out); }
extern "C" void run_loop(float* out) { loop_of_unequal_length<<<1, 128>>>(out); }
extern "C" void run_barrier_against_warp(float* out) { barrier_against_warp<<<1, 64>>>(out); }
extern "C" void run_count_of_those_left(float* out, int n, int leave_first) {
    count_of_those_left<<<3, 64>>>(out, n, leave_first);
}
extern "C" void run_wild_write(float* out, int64_t far) { wild_write<<<100, 64>>>(out, far); }
extern "C" void run_misaligned(float* out) { misaligned<<<1, 1>>>(out); }
extern "C" void run_divides(int* out, int by) { divides<<<1, 32>>>(out, by); }
extern "C" void run_deep_stack(float* out, int depth) { deep_stack<<<1, 1>>>(out, depth); }
