// What torch's stable ABI says of CUDA, answered for the emulator. Linked into a library whose binding is
// bindings_stable.cpp: its own definitions come before torch's.
#include <cuda_runtime.h>
#include <torch/csrc/stable/c/shim.h>

#include <cstring>
#include <string>

extern "C" const char* cudabook_take_report();

// One device, one stream.
AOTITorchError aoti_torch_create_device_guard(int32_t, DeviceGuardHandle* guard) {
    *guard = nullptr;
    return 0;
}
AOTITorchError aoti_torch_delete_device_guard(DeviceGuardHandle) { return 0; }
AOTITorchError aoti_torch_get_current_cuda_stream(int32_t, void** stream) {
    *stream = nullptr;
    return 0;
}

AOTITorchError torch_c10_cuda_check_msg(int32_t error, const char*, const char*, uint32_t, bool, char** message) {
    *message = nullptr;
    if (error != cudaSuccess) {
        const auto code = static_cast<cudaError_t>(error);
        const std::string text = std::string("CUDA error: ") + cudaGetErrorString(code) + " (" +
                                 cudaGetErrorName(code) + ")\n" + cudabook_take_report();
        *message = strdup(text.c_str());
    }
    return 0;
}
void torch_c10_cuda_free_error_msg(char* message) { free(message); }
