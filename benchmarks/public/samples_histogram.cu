// Calls the launcher of cuda-samples' histogram of 256 bins.
#include "NVIDIA+cuda-samples/Samples/2_Concepts_and_Techniques/histogram/histogram256.cu"

extern "C" void histogram(int* counts, unsigned char* data, int bytes) {
    initHistogram256();
    histogram256(reinterpret_cast<uint*>(counts), data, bytes);
    closeHistogram256();
}
