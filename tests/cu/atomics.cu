// Atomics on every type and in every scope, and locks.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// Each thread updates its slot of 12: out[k] says what became of start values that the test sets.
template <typename T>
__global__ void integers_kernel(T* slot, T* seen) {
    T v = T(threadIdx.x + 1);
    seen[threadIdx.x] = atomicAdd(slot + 0, v);
    atomicMin(slot + 1, v);
    atomicMax(slot + 2, v);
    atomicAnd(slot + 3, ~(T(1) << (threadIdx.x % 20)));
    atomicOr(slot + 4, T(1) << (threadIdx.x % 20));
    atomicXor(slot + 5, v);
    atomicExch(slot + 6, T(7));
    atomicCAS(slot + 7, T(0), v);
    atomicAdd_block(slot + 8, v);
    atomicMax_system(slot + 9, v);
}

extern "C" void integers_int(int* slot, int* seen, int n, cudaStream_t stream) {
    integers_kernel<<<1, n, 0, stream>>>(slot, seen);
}
extern "C" void integers_long(int64_t* slot, int64_t* seen, int n, cudaStream_t stream) {
    integers_kernel<<<1, n, 0, stream>>>(reinterpret_cast<unsigned long long*>(slot),
                                         reinterpret_cast<unsigned long long*>(seen));
}

__global__ void counters_kernel(unsigned* slot, long long* extremes, unsigned short* words) {
    atomicSub(slot + 0, 3u);
    atomicInc(slot + 1, 9u);
    atomicDec(slot + 2, 9u);
    atomicMin(extremes + 0, -(long long)threadIdx.x);
    atomicMax(extremes + 1, (long long)threadIdx.x - 1000);
    atomicCAS(words + threadIdx.x % 4, (unsigned short)0, (unsigned short)(100 + threadIdx.x % 4));
}

extern "C" void counters(int* slot, int64_t* extremes, int* words, int n, cudaStream_t stream) {
    counters_kernel<<<1, n, 0, stream>>>(reinterpret_cast<unsigned*>(slot), reinterpret_cast<long long*>(extremes),
                                         reinterpret_cast<unsigned short*>(words));
}

// Sums of small integers: exact in every one of these types, whatever the order.
__global__ void floats_kernel(float* f, double* d, __half* h, __nv_bfloat16* b) {
    float v = float(threadIdx.x % 2);
    atomicAdd(f, v);
    atomicAdd(d, double(v));
    atomicAdd(h, __float2half(v));
    atomicAdd(b, __float2bfloat16(v));
    atomicAdd(reinterpret_cast<__half2*>(h) + 1, __floats2half2_rn(v, 1.0f));
    atomicAdd(reinterpret_cast<__nv_bfloat162*>(b) + 1, __floats2bfloat162_rn(v, 1.0f));
    atomicAdd(reinterpret_cast<float2*>(f) + 1, make_float2(v, 1.0f));
    atomicAdd(reinterpret_cast<float4*>(f) + 1, make_float4(v, 1.0f, 2.0f, -v));
}

extern "C" void floats(float* f, double* d, __half* h, __nv_bfloat16* b, int blocks, int threads, cudaStream_t stream) {
    floats_kernel<<<blocks, threads, 0, stream>>>(f, d, h, b);
}

// The textbook's atomicMax of a float, by compare-and-swap.
__device__ float atomic_max(float* address, float v) {
    int* word = reinterpret_cast<int*>(address);
    int seen = *word, expected;
    do {
        expected = seen;
        if (__int_as_float(expected) >= v) break;
        seen = atomicCAS(word, expected, __float_as_int(v));
    } while (seen != expected);
    return __int_as_float(seen);
}

__global__ void float_max_kernel(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomic_max(out, in[i]);
}

extern "C" void float_max(const float* in, float* out, int n, cudaStream_t stream) {
    float_max_kernel<<<(n + 127) / 128, 128, 0, stream>>>(in, out, n);
}

// Every thread takes the one lock, also those of one warp: each lane must make progress by itself.
__global__ void lock_kernel(int* lock, int* total) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *static_cast<volatile int*>(total) = *static_cast<volatile int*>(total) + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

extern "C" void locked_count(int* lock, int* total, int blocks, int threads, cudaStream_t stream) {
    lock_kernel<<<blocks, threads, 0, stream>>>(lock, total);
}

// A thread waits for a flag that a thread with a higher number sets.
__global__ void flag_kernel(volatile int* flag, int* out) {
    if (threadIdx.x == 0) {
        while (*flag == 0) {
        }
        __threadfence();
        out[0] = out[1] + 1;
    } else if (threadIdx.x == blockDim.x - 1) {
        out[1] = 41;
        __threadfence();
        *flag = 1;
    }
}

extern "C" void flag(int* flag_word, int* out, int threads, cudaStream_t stream) {
    flag_kernel<<<1, threads, 0, stream>>>(flag_word, out);
}
