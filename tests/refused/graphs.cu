// CUDA graphs.
#include <cuda_runtime.h>

__global__ void double_kernel(float* x) { x[threadIdx.x] *= 2; }

extern "C" void run(float* x) {
    cudaStream_t stream;
    cudaGraph_t graph;  // here
    cudaGraphExec_t ready;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    double_kernel<<<1, 64, 0, stream>>>(x);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
}
