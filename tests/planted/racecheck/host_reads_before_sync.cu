// expect: host access before the wait
#include <cuda_runtime.h>

__global__ void twice(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * x[i];
}

// The result is copied to the host behind the kernel, but the host does not wait for the copy.
extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    float* result;
    cudaMallocHost(&result, n * sizeof(float));
    twice<<<(n + 127) / 128, 128, 0, stream>>>(x, out, n);
    cudaMemcpyAsync(result, out, n * sizeof(float), cudaMemcpyDeviceToHost, stream);  // other
    float first = result[7];  // here
    cudaStreamSynchronize(stream);
    cudaMemcpyAsync(out, &first, sizeof first, cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    cudaFreeHost(result);
}
