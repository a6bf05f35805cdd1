// The host writes managed memory; a copy from pinned memory.
#include <cuda_runtime.h>

__global__ void twice(const float* from, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * from[i];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    float *managed, *pinned;
    cudaMallocManaged(&managed, 100 * sizeof(float));
    cudaMallocHost(&pinned, 100 * sizeof(float));
    for (int i = 0; i < 100; ++i) managed[i] = i, pinned[i] = -i;
    twice<<<1, 128, 0, stream>>>(managed, out, 100);
    cudaMemcpyAsync(out + 200, pinned, 100 * sizeof(float), cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    cudaFree(managed);
    cudaFreeHost(pinned);
}
