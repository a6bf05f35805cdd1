// Calls the launcher of cuda-samples' histogram of 64 bins.
#include "NVIDIA+cuda-samples/Samples/2_Concepts_and_Techniques/histogram/histogram64.cu"

extern "C" void histogram(int* counts, unsigned char* data, int bytes) {
    initHistogram64();
    histogram64(reinterpret_cast<uint*>(counts), data, bytes);
    closeHistogram64();
}
