// Any access pattern of a warp, given as data: lane i touches element index[i].
#include <cstdint>

#include <cuda_runtime.h>

// [global]
template <typename T>
__global__ void global_kernel(const T* x, const int* index, T* out) {
    int i = index[threadIdx.x];
    out[threadIdx.x] = x[i];
}
// [/global]

// [shared]
constexpr int WORDS = 2048;

__global__ void shared_kernel(const float* x, const int* index, float* out) {
    __shared__ float words[WORDS];
    for (int k = threadIdx.x; k < WORDS; k += 32) words[k] = x[k];
    __syncthreads();
    int i = index[threadIdx.x];
    out[threadIdx.x] = words[i];
}
// [/shared]

// x: any length that index allows (shared: 2048); index: [32]; out: [32]
extern "C" void global(const float* x, const int* index, float* out,
                       cudaStream_t stream) {
    global_kernel<<<1, 32, 0, stream>>>(x, index, out);
}

// the same with four floats an element; index counts in these
extern "C" void global4(const float* x, const int* index, float* out,
                        cudaStream_t stream) {
    global_kernel<<<1, 32, 0, stream>>>(reinterpret_cast<const float4*>(x), index,
                                        reinterpret_cast<float4*>(out));
}

extern "C" void shared(const float* x, const int* index, float* out,
                       cudaStream_t stream) {
    shared_kernel<<<1, 32, 0, stream>>>(x, index, out);
}

// [banks]
template <int WIDTH, bool SWIZZLED>
__global__ void banks_kernel(int* bank) {  // bank: [32, 32]
    __shared__ float tile[32][WIDTH];      // starts in bank 0
    int y = threadIdx.y, x = threadIdx.x;
    float* element = &tile[y][SWIZZLED ? x ^ y : x];
    bank[32 * y + x] = (element - &tile[0][0]) % 32;
}
// [/banks]

extern "C" void banks(int* bank, int width, int swizzled, cudaStream_t stream) {
    auto kernel = swizzled      ? banks_kernel<32, true>
                  : width == 32 ? banks_kernel<32, false>
                                : banks_kernel<33, false>;
    kernel<<<1, dim3(32, 32), 0, stream>>>(bank);
}

// [limits]
// out: [4]
extern "C" void limits(int64_t* out, cudaStream_t stream) {
    cudaDeviceProp gpu;
    cudaGetDeviceProperties(&gpu, 0);
    int64_t values[] = {gpu.multiProcessorCount, gpu.regsPerMultiprocessor,
                        int64_t(gpu.sharedMemPerMultiprocessor),
                        gpu.maxThreadsPerMultiProcessor};
    cudaMemcpyAsync(out, values, sizeof values, cudaMemcpyDefault, stream);
    cudaStreamSynchronize(stream);  // before values goes away
}
// [/limits]
