// Calls the launchers of cuda-samples' sorting networks.
#include "NVIDIA+cuda-samples/Samples/2_Concepts_and_Techniques/sortingNetworks/bitonicSort.cu"
#include "NVIDIA+cuda-samples/Samples/2_Concepts_and_Techniques/sortingNetworks/oddEvenMergeSort.cu"

extern "C" void sort(int odd_even, int* key, int* value, int* from_key, int* from_value, int batch, int length) {
    auto as_uint = [](int* p) { return reinterpret_cast<uint*>(p); };
    if (odd_even)
        oddEvenMergeSort(as_uint(key), as_uint(value), as_uint(from_key), as_uint(from_value), batch, length, 1);
    else bitonicSort(as_uint(key), as_uint(value), as_uint(from_key), as_uint(from_value), batch, length, 1);
}
