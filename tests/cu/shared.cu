// Shared memory and barriers.
#include <cuda_runtime.h>

// Reverses each block's 64 elements through a static array; `twice` through a second one, with its own barrier.
__global__ void reverse_static(float* data, bool twice) {
    __shared__ float first[64], second[64];
    __shared__ int uses;
    if (threadIdx.x == 0) uses = 1 + twice;
    float* block = data + blockIdx.x * 64;
    first[threadIdx.x] = block[threadIdx.x];
    __syncthreads();
    if (uses == 2) {
        second[63 - threadIdx.x] = first[threadIdx.x];
        __syncthreads();
        first[threadIdx.x] = second[threadIdx.x];
        __syncthreads();
    }
    block[threadIdx.x] = first[63 - threadIdx.x];
}

extern "C" void reverse_static(float* data, int blocks, int twice, cudaStream_t stream) {
    reverse_static<<<blocks, 64, 0, stream>>>(data, twice != 0);
}

template <typename T>
__global__ void reverse_dynamic(T* data) {
    extern __shared__ __align__(16) unsigned char bytes[];
    T* memory = reinterpret_cast<T*>(bytes);
    int n = blockDim.x, i = threadIdx.x;
    memory[i] = data[blockIdx.x * n + i];
    __syncthreads();
    data[blockIdx.x * n + i] = memory[n - 1 - i];
}

extern "C" void reverse_dynamic_float(float* data, int blocks, int threads, cudaStream_t stream) {
    reverse_dynamic<<<blocks, threads, threads * sizeof(float), stream>>>(data);
}
extern "C" void reverse_dynamic_double(double* data, int blocks, int threads, cudaStream_t stream) {
    reverse_dynamic<<<blocks, threads, threads * sizeof(double), stream>>>(data);
}

extern __shared__ float at_file_scope[];

__global__ void sum_at_file_scope(const float* in, float* out) {
    at_file_scope[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) at_file_scope[threadIdx.x] += at_file_scope[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = at_file_scope[0];
}

extern "C" void tree_sum(const float* in, float* out, int n, cudaStream_t stream) {
    sum_at_file_scope<<<1, n, n * sizeof(float), stream>>>(in, out);
}

// A struct, a size that depends on a template, two-dimensional arrays, and a helper with its own shared memory.
template <int N>
struct Pair {
    float x[N];
    int i;
};

__device__ float swap_with_neighbour(float v) {
    __shared__ float buffer[1024];
    buffer[threadIdx.x] = v;
    __syncthreads();
    float other = buffer[threadIdx.x ^ 1];
    __syncthreads();
    return other;
}

template <int N>
__global__ void mixed(float* data) {
    constexpr int ROWS = N / 8;
    __shared__ Pair<N> pair;
    __shared__ float grid[ROWS][8 + 1];
    int i = threadIdx.x;
    pair.x[i] = data[i];
    grid[i / 8][i % 8] = 10;
    if (i == 0) pair.i = 1000;
    __syncthreads();
    data[i] = swap_with_neighbour(pair.x[i]) + grid[(N - 1 - i) / 8][i % 8] + pair.i;
}

extern "C" void mixed(float* data, cudaStream_t stream) { mixed<64><<<1, 64, 0, stream>>>(data); }

// More than 48 KiB needs an opt-in.
__global__ void big_kernel(float* out, int floats) {
    extern __shared__ float memory[];
    for (int i = threadIdx.x; i < floats; i += blockDim.x) memory[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) *out = memory[floats - 1];
}

extern "C" void big(float* out, int bytes, int opt_in, cudaStream_t stream) {
    if (opt_in) cudaFuncSetAttribute(big_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    big_kernel<<<1, 128, bytes, stream>>>(out, bytes / 4);
}

// 48 KiB of dynamic memory and a static array of 1 KiB are more than 48 KiB.
__global__ void edge_kernel(float* out) {
    extern __shared__ float memory[];
    __shared__ float fixed[256];
    fixed[threadIdx.x] = threadIdx.x;
    memory[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = memory[255 - threadIdx.x] + fixed[255 - threadIdx.x];
}

extern "C" void edge(float* out, int bytes, cudaStream_t stream) { edge_kernel<<<1, 256, bytes, stream>>>(out); }

// 48 KiB in three variables: all that a kernel may declare.
__global__ void full_kernel(float* out) {
    __shared__ float first[4096];
    __shared__ float second[4096];
    __shared__ float third[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) {
        first[i] = i;
        second[i] = 2 * i;
        third[i] = 4 * i;
    }
    __syncthreads();
    int other = 4095 - threadIdx.x;
    out[threadIdx.x] = first[other] + second[other] + third[other];
}

extern "C" void full(float* out, cudaStream_t stream) { full_kernel<<<1, 64, 0, stream>>>(out); }
