// Warp-level functions. Every kernel writes one value a thread; the test knows what it must be.
#include <cuda_runtime.h>

// which: 0 shfl, 1 up, 2 down, 3 xor. Only lanes below `lanes` take part.
template <typename T>
__global__ void shuffle_kernel(const T* in, T* out, int which, int operand, int width, int lanes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (lane >= lanes) return;
    unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
    T v = in[i];
    switch (which) {
        case 0: v = __shfl_sync(mask, v, operand, width); break;
        case 1: v = __shfl_up_sync(mask, v, operand, width); break;
        case 2: v = __shfl_down_sync(mask, v, operand, width); break;
        case 3: v = __shfl_xor_sync(mask, v, operand, width); break;
    }
    out[i] = v;
}

extern "C" void shuffle_int(const int* in, int* out, int which, int operand, int width, int lanes, int blocks,
                            int threads, cudaStream_t stream) {
    shuffle_kernel<<<blocks, threads, 0, stream>>>(in, out, which, operand, width, lanes);
}
extern "C" void shuffle_double(const double* in, double* out, int which, int operand, int width, int lanes, int blocks,
                               int threads, cudaStream_t stream) {
    shuffle_kernel<<<blocks, threads, 0, stream>>>(in, out, which, operand, width, lanes);
}

// Ten results a thread. The predicate is in[i] > 0; the block may end in the middle of a warp.
__global__ void votes_kernel(const int* in, int* out) {
    int i = threadIdx.x, n = blockDim.x, lane = i % 32, here = min(32, n - (i - lane));
    unsigned mask = here == 32 ? 0xffffffffu : (1u << here) - 1;
    int v = in[i], all_equal;
    int* o = out + 12 * i;
    o[0] = __ballot_sync(mask, v > 0);
    o[1] = __any_sync(mask, v > 0);
    o[2] = __all_sync(mask, v > 0);
    o[3] = __match_any_sync(mask, v);
    o[4] = __match_all_sync(mask, v, &all_equal);
    o[5] = all_equal;
    o[6] = __reduce_add_sync(mask, v);
    o[7] = __reduce_min_sync(mask, v);
    o[8] = __reduce_max_sync(mask, unsigned(v));
    o[9] = __reduce_xor_sync(mask, unsigned(v));
    o[10] = __syncthreads_count(v > 0);
    o[11] = 2 * __syncthreads_or(v == 5) + __syncthreads_and(v > -100);
}

extern "C" void votes(const int* in, int* out, int n, cudaStream_t stream) {
    votes_kernel<<<1, n, 0, stream>>>(in, out);
}

// Even and odd lanes meet apart, each in its own branch, and hand values on in a ring of their own.
__global__ void divergent_kernel(int* out) {
    int lane = threadIdx.x % 32, v = lane;
    if (lane % 2 == 0) {
        for (int step = 0; step < 3; ++step) v = __shfl_sync(0x55555555u, v, (lane + 2) % 32);
    } else {
        v = __shfl_sync(0xaaaaaaaau, v, (lane + 30) % 32) + 100 * __popc(__ballot_sync(0xaaaaaaaau, 1));
    }
    __syncwarp();
    out[threadIdx.x] = v + 1000 * __shfl_xor_sync(0xffffffffu, v, 1);
}

extern "C" void divergent(int* out, int threads, cudaStream_t stream) {
    divergent_kernel<<<1, threads, 0, stream>>>(out);
}

// Shared memory handed from lane to lane with __syncwarp only; warps do not wait for each other.
__global__ void syncwarp_kernel(int* out) {
    __shared__ volatile int slot[1024];
    int i = threadIdx.x, lane = i % 32;
    for (int round = 0; round < 5; ++round) {
        slot[i] = i + round;
        __syncwarp();
        int other = slot[i - lane + (lane + 1) % 32];
        __syncwarp();
        if (round == 4) out[i] = other;
    }
}

extern "C" void syncwarp(int* out, int threads, cudaStream_t stream) {
    syncwarp_kernel<<<1, threads, 0, stream>>>(out);
}

// A sum of ones over any block size: warps by shuffles, then the first warp over the warps' sums.
__global__ void block_sum_kernel(const float* in, float* out) {
    __shared__ float warp_sum[32];
    int i = threadIdx.x, n = blockDim.x, lane = i % 32, warp = i / 32;
    unsigned mask = __ballot_sync(0xffffffffu, i < n);
    float v = in[blockIdx.x * n + i];
    for (int offset = 16; offset > 0; offset /= 2) {
        float other = __shfl_down_sync(mask, v, offset);
        if (lane + offset < 32 && i + offset < n) v += other;
    }
    if (lane == 0) warp_sum[warp] = v;
    __syncthreads();
    if (i == 0) {
        float sum = 0;
        for (int w = 0; w < (n + 31) / 32; ++w) sum += warp_sum[w];
        out[blockIdx.x] = sum;
    }
}

extern "C" void block_sum(const float* in, float* out, int blocks, int threads, cudaStream_t stream) {
    block_sum_kernel<<<blocks, threads, 0, stream>>>(in, out);
}

// The lanes that are still there, asked in a branch and after some have left.
__global__ void active_kernel(int* out) {
    int lane = threadIdx.x;
    unsigned first = __activemask(), inside = 0;
    if (lane < 10) {
        inside = __activemask();
        if (lane < 3) return;
    }
    __syncwarp(0xfffffff8u);
    out[2 * lane] = first == 0xffffffffu;
    out[2 * lane + 1] = inside;
}

extern "C" void active(int* out, cudaStream_t stream) { active_kernel<<<1, 32, 0, stream>>>(out); }
