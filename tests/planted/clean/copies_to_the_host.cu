// Copies to pinned memory on two streams, each waited for by its own means before the host looks.
#include <cuda_runtime.h>

__global__ void scale(const float* x, float* out, float by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = by * x[i];
}

extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    float *host, *back;
    cudaStream_t first, second;
    cudaEvent_t copied;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEventCreate(&copied);
    cudaMallocHost(&host, n * sizeof(float));
    cudaMalloc(&back, n * sizeof(float));
    scale<<<(n + 127) / 128, 128, 0, first>>>(x, out, 3, n);
    cudaMemcpyAsync(host, out, n * sizeof(float), cudaMemcpyDeviceToHost, first);
    cudaEventRecord(copied, first);
    cudaStreamWaitEvent(second, copied, 0);
    cudaMemcpyAsync(back, host, n * sizeof(float), cudaMemcpyHostToDevice, second);  // sees what the event promises
    scale<<<(n + 127) / 128, 128, 0, second>>>(back, out, 2, n);
    cudaStreamSynchronize(second);
    float in[2];
    int right[2];
    cudaMemcpy(in, x, sizeof in, cudaMemcpyDeviceToHost);
    right[0] = host[1] == 3 * in[1];  // the second stream came after the event
    cudaMemcpyAsync(host, out, 4, cudaMemcpyDeviceToHost, second);
    cudaEventRecord(copied, second);
    cudaEventSynchronize(copied);
    right[1] = host[0] == 6 * in[0];
    cudaMemcpy(ints, right, sizeof right, cudaMemcpyHostToDevice);
    cudaFreeHost(host);
    cudaFree(back);
    cudaEventDestroy(copied);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
}
