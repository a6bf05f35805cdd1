// Who runs: built-in variables, grids and blocks in three dimensions, launches in all their forms.
#include <cuda_runtime.h>

// A name that C++20 has in the global namespace, and C++17, nvcc's default, has not.
__device__ float lerp(float a, float b, float t) { return a + t * (b - a); }

namespace shapes {
struct Scale {
    int factor;
};

// out[element] = the ten built-in numbers of the thread that owns it.
__global__ void builtins(int* out) {
    int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    int* o = out + 10 * (block * int(blockDim.x * blockDim.y * blockDim.z) + thread);
    o[0] = threadIdx.x, o[1] = threadIdx.y, o[2] = threadIdx.z;
    o[3] = blockIdx.x, o[4] = blockIdx.y, o[5] = blockIdx.z;
    o[6] = blockDim.x * 100 + blockDim.y * 10 + blockDim.z;
    o[7] = gridDim.x * 100 + gridDim.y * 10 + gridDim.z;
    o[8] = warpSize;
    o[9] = thread;
}
}  // namespace shapes

extern "C" void builtins(int* out, int gx, int gy, int gz, int bx, int by, int bz, cudaStream_t stream) {
    dim3 gridDim(gx, gy, gz), blockDim(bx, by, bz);  // host locals may have the names of built-ins
    shapes::builtins<<<gridDim, blockDim, 0, stream>>>(out);
}

template <typename T, int N>
__global__ void fill(T* out, T value) {
    out[blockIdx.x * N + threadIdx.x] = value;
}

template <class T>
__global__ void deduced(T* out, const shapes::Scale scale, const int* offset) {
    out[threadIdx.x] = T(threadIdx.x * scale.factor + (offset ? *offset : 7));
}

#define LAUNCH(kernel, blocks, ...) kernel<<<blocks, 32>>>(__VA_ARGS__)
#define LAUNCH_LINES(kernel, out, value) \
    do {                                 \
        kernel<<<1, 32>>>(out, value);   \
    } while (0)

// Template arguments given and deduced, namespaces, tables of kernels, macros, arguments that convert.
extern "C" void launches(float* out, cudaStream_t stream) {
    fill<float, 32><<<1, 32, 0, stream>>>(out, 1);
    deduced<<<1, 32, 0, stream>>>(out + 32, shapes::Scale{3}, nullptr);
    deduced<<<1, 32, 0, stream>>>(out + 64, {5}, 0);
    void (*table[])(float*, float) = {fill<float, 32>, fill<float, 16>};
    int which = 1;
    table[which - 1]<<<1, 32, 0, stream>>>(out + 96, 2.0);
    (table[1])<<<dim3{2}, {16}, 0, stream>>>(out + 128, 3);
    cudaStreamSynchronize(stream);
    LAUNCH((fill<float, 32>), 1, out + 160, 4);
    LAUNCH_LINES((fill<float, 32>), out + 192, 5.5f);
    cudaDeviceSynchronize();
}

__device__ __noinline__ float half_of(float x) { return x / 2; }
__device__ int counter = 5;
__constant__ float weights[3];

__global__ void uses_symbols(float* out) { out[threadIdx.x] = half_of(weights[threadIdx.x]) + counter; }

extern "C" void symbols(float* out, cudaStream_t stream) {
    const float host[3] = {2, 4, 6};
    int ten = 10;
    cudaMemcpyToSymbol(weights, host, sizeof host);
    cudaMemcpyToSymbol(counter, &ten, sizeof ten);
    uses_symbols<<<1, 3, 0, stream>>>(out);
    cudaMemcpyFromSymbol(&ten, counter, sizeof ten);
}

// Every thread adds 1 to the counters of its block and of the grid.
__global__ void count(int* per_block, int* total, float* total_f, double* total_d, unsigned long long* most) {
    atomicAdd(&per_block[blockIdx.x], 1);
    atomicAdd(total, 1);
    atomicAdd(total_f, 0.5f);
    atomicAdd(total_d, 0.25);
    (void)most;
}

extern "C" void atomics(int* per_block, int* total, float* total_f, double* total_d, int blocks, int threads,
                        cudaStream_t stream) {
    count<<<blocks, threads, 0, stream>>>(per_block, total, total_f, total_d, nullptr);
}

// The fast functions of one value, one after another, for each x.
__global__ void fast(const float* x, float* out) {
    float v = x[threadIdx.x];
    const float values[] = {__expf(v), __exp10f(v), __logf(v), __log2f(v),      __log10f(v),         __sinf(v),
                            __cosf(v), __tanf(v),   rsqrtf(v), __powf(v, 2.5f), __fdividef(1.0f, v), __saturatef(v)};
    for (int i = 0; i < 12; ++i) out[threadIdx.x * 12 + i] = values[i];
}

extern "C" void fast_math(const float* x, float* out, int n, cudaStream_t stream) { fast<<<1, n, 0, stream>>>(x, out); }
