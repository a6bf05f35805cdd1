// CuTe.
#include <cute/tensor.hpp>  // here

__global__ void fill_kernel(float* x) {
    auto tensor = cute::make_tensor(cute::make_gmem_ptr(x), cute::make_shape(64));
    tensor(threadIdx.x) = 1;
}

extern "C" void run(float* x) { fill_kernel<<<1, 64>>>(x); }
