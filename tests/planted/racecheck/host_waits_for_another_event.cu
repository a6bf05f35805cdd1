// expect: host access before the wait
#include <cuda_runtime.h>

__global__ void add_one(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 1;
}

// The event stands before the copy.
extern "C" void run(float* x, float* out, int* ints, int n, cudaStream_t stream) {
    float *copy, total = 0;
    cudaEvent_t done;
    cudaStream_t own;
    cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    cudaEventCreate(&done);
    cudaHostAlloc(&copy, n * sizeof(float), cudaHostAllocDefault);
    add_one<<<(n + 127) / 128, 128, 0, own>>>(x, n);
    cudaEventRecord(done, own);
    cudaMemcpyAsync(copy, x, n * sizeof(float), cudaMemcpyDeviceToHost, own);  // other
    cudaEventSynchronize(done);
    for (int i = 0; i < n; ++i) total += copy[i];  // here
    cudaDeviceSynchronize();
    cudaMemcpy(out, &total, sizeof total, cudaMemcpyHostToDevice);
    cudaFreeHost(copy);
    cudaEventDestroy(done);
    cudaStreamDestroy(own);
}
