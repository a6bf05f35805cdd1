// Error codes with CUDA's own numbers, names and texts (CUDA 13 runtime API, enum cudaError).
#pragma once

#define CUDABOOK_ERRORS(X)                                                                                      \
    X(cudaSuccess, 0, "no error")                                                                               \
    X(cudaErrorInvalidValue, 1, "invalid argument")                                                             \
    X(cudaErrorMemoryAllocation, 2, "out of memory")                                                            \
    X(cudaErrorInitializationError, 3, "initialization error")                                                  \
    X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                                       \
    X(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                                                 \
    X(cudaErrorInvalidSymbol, 13, "invalid device symbol")                                                      \
    X(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")                                              \
    X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                                 \
    X(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                                            \
    X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                                             \
    X(cudaErrorInvalidDevice, 101, "invalid device ordinal")                                                    \
    X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                                           \
    X(cudaErrorNotReady, 600, "device not ready")                                                               \
    X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")                                 \
    X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")                            \
    X(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")                                   \
    X(cudaErrorAssert, 710, "device-side assert triggered")                                                     \
    X(cudaErrorHostMemoryAlreadyRegistered, 712, "part or all of the requested memory range is already mapped") \
    X(cudaErrorHostMemoryNotRegistered, 713, "pointer does not correspond to a registered memory region")       \
    X(cudaErrorMisalignedAddress, 716, "misaligned address")                                                    \
    X(cudaErrorLaunchFailure, 719, "unspecified launch failure")                                                \
    X(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")                         \
    X(cudaErrorNotSupported, 801, "operation not supported")                                                    \
    X(cudaErrorUnknown, 999, "unknown error")

inline namespace cudabook_cuda {

enum cudaError {
#define CUDABOOK_ENUM(name, code, text) name = code,
    CUDABOOK_ERRORS(CUDABOOK_ENUM)
#undef CUDABOOK_ENUM
};
typedef enum cudaError cudaError_t;

cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);

}  // namespace cudabook_cuda
