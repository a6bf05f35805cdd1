// Host code and a kernel work on pinned and on managed memory.
#include <cuda_runtime.h>

__global__ void double_kernel(float* x, int n) {  // x: [n]
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}

// [pinned]
// out: [n], device memory
extern "C" void with_pinned(float* out, int n, cudaStream_t stream) {
    float* x;
    cudaMallocHost(&x, n * sizeof(float));
    for (int i = 0; i < n; ++i) x[i] = i;
    // the host does not wait for the copy; the kernel does, being in the same
    // stream
    cudaMemcpyAsync(out, x, n * sizeof(float), cudaMemcpyDefault, stream);
    double_kernel<<<(n + 255) / 256, 256, 0, stream>>>(out, n);
    cudaStreamSynchronize(stream);  // before x goes away
    cudaFreeHost(x);
}
// [/pinned]

// [managed]
// out: [n], device memory
extern "C" void with_managed(float* out, int n, cudaStream_t stream) {
    float* x;
    cudaMallocManaged(&x, n * sizeof(float));
    for (int i = 0; i < n; ++i) x[i] = i;  // the host writes
    double_kernel<<<(n + 255) / 256, 256, 0, stream>>>(
        x, n);  // the kernel, same pointer
    cudaStreamSynchronize(stream);
    for (int i = 0; i < n; ++i) x[i] += 1;  // the host again
    cudaMemcpyAsync(out, x, n * sizeof(float), cudaMemcpyDefault, stream);
    cudaStreamSynchronize(stream);
    cudaFree(x);
}
// [/managed]
