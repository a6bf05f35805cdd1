// The CUDA C++ standard library.
#include <cuda/atomic>  // here
#include <cuda_runtime.h>

__global__ void count_kernel(float* x) { cuda::atomic_ref<float, cuda::thread_scope_device>(*x) += 1; }

extern "C" void run(float* x) { count_kernel<<<1, 64>>>(x); }
