// Launches that CUDA refuses, each with its own code.
#include <cuda_runtime.h>

__global__ void nothing(int* out) {
    if (out) *out = 1;
}

__global__ void __launch_bounds__(128) bounded(int* out) {
    if (out) *out = 1;
}

extern "C" void launch(int* out, int64_t gx, int64_t gy, int64_t gz, int bx, int by, int bz, int shared,
                       cudaStream_t stream) {
    nothing<<<dim3(gx, gy, gz), dim3(bx, by, bz), shared, stream>>>(out);
}

extern "C" void launch_bounded(int* out, int threads, cudaStream_t stream) { bounded<<<1, threads, 0, stream>>>(out); }

// The error is read twice: reading it clears it.
extern "C" void read_twice(int* codes, cudaStream_t stream) {
    nothing<<<0, 1, 0, stream>>>(codes);
    int peek = cudaPeekAtLastError(), first = cudaGetLastError(), second = cudaGetLastError();
    nothing<<<1, 1, 0, stream>>>(nullptr);
    int after = cudaGetLastError();
    int host[4] = {peek, first, second, after};
    cudaMemcpyAsync(codes, host, sizeof host, cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
}
