// Which thread handles which element: every thread writes its own coordinates.
#include <cstdint>

#include <cuda_runtime.h>

// [who]
// block, thread: [n]
__global__ void who_kernel(int* block, int* thread, int64_t n) {
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        block[i] = blockIdx.x;
        thread[i] = threadIdx.x;
    }
}
// [/who]

extern "C" void who(int* block, int* thread, int64_t n, int blocks, int threads,
                    cudaStream_t stream) {
    who_kernel<<<blocks, threads, 0, stream>>>(block, thread, n);
}

// [stride]
__global__ void who_stride_kernel(int* block, int* thread, int64_t n) {
    int64_t stride = int64_t(gridDim.x) * blockDim.x;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += stride) {
        block[i] = blockIdx.x;
        thread[i] = threadIdx.x;
    }
}
// [/stride]

extern "C" void who_stride(int* block, int* thread, int64_t n, int blocks,
                           int threads, cudaStream_t stream) {
    who_stride_kernel<<<blocks, threads, 0, stream>>>(block, thread, n);
}

// [unguarded]
__global__ void unguarded_kernel(float* x) {  // no n, no bounds check
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    x[i] = 1;
}
// [/unguarded]

extern "C" void unguarded(float* x, int blocks, int threads, cudaStream_t stream) {
    unguarded_kernel<<<blocks, threads, 0, stream>>>(x);
}

// [plane]
// out: [rows, columns]
__global__ void plane_kernel(int* out, int rows, int columns) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows && column < columns) {
        out[int64_t(row) * columns + column] = 10 * blockIdx.y + blockIdx.x;
    }
}
// [/plane]

extern "C" void plane(int* out, int rows, int columns, cudaStream_t stream) {
    dim3 threads(4, 2);
    dim3 blocks((columns + threads.x - 1) / threads.x,
                (rows + threads.y - 1) / threads.y);
    plane_kernel<<<blocks, threads, 0, stream>>>(out, rows, columns);
}

// [order]
// order: [number of blocks], counter: a zero
__global__ void order_kernel(int* order, int* counter) {
    if (threadIdx.x == 0) {
        order[atomicAdd(counter, 1)] = blockIdx.x;
    }
}
// [/order]

extern "C" void order(int* order, int* counter, int blocks, int threads,
                      cudaStream_t stream) {
    order_kernel<<<blocks, threads, 0, stream>>>(order, counter);
}
