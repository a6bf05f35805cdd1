// Calls the launcher of cuda-samples' merge sort.
#include "NVIDIA+cuda-samples/Samples/0_Introduction/mergeSort/bitonic.cu"
#define iDivUp merge_iDivUp
#define getSampleCount merge_getSampleCount
#define W merge_W
#include "NVIDIA+cuda-samples/Samples/0_Introduction/mergeSort/mergeSort.cu"

extern "C" void sort(int* key, int* value, int* buffer_key, int* buffer_value, int* from_key, int* from_value, int n) {
    auto as_uint = [](int* p) { return reinterpret_cast<uint*>(p); };
    initMergeSort();
    mergeSort(as_uint(key), as_uint(value), as_uint(buffer_key), as_uint(buffer_value), as_uint(from_key),
              as_uint(from_value), n, 1);
    closeMergeSort();
}
