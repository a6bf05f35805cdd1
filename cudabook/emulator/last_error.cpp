// Linked to a .cu file that is called from Python: what its calls and launches left behind.
// The same file serves the GPU (compiled by nvcc) and the emulator.
#include <cuda_runtime.h>

extern "C" int cudabook_last_error(const char** name, const char** text) {
    cudaError_t error = cudaGetLastError();
    *name = cudaGetErrorName(error);
    *text = cudaGetErrorString(error);
    return int(error);
}
