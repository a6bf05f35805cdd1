// The host side: memory, streams, events, devices. Each function writes what it saw into `out` (host or device memory).
#include <cuda_runtime.h>

__global__ void add_one(int* data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] += 1;
}

static void give(int* out, const int* seen, int n) { cudaMemcpy(out, seen, n * sizeof(int), cudaMemcpyDefault); }

extern "C" void memory(int* out) {
    int *device, *host, back[4] = {}, seen[12] = {};
    seen[0] = cudaMalloc(&device, 4 * sizeof(int));
    seen[1] = cudaMallocHost(&host, 4 * sizeof(int));
    for (int i = 0; i < 4; ++i) host[i] = 10 * i;
    seen[2] = cudaMemcpy(device, host, 4 * sizeof(int), cudaMemcpyHostToDevice);
    add_one<<<1, 32>>>(device, 4);
    seen[3] = cudaMemcpy(back, device, sizeof back, cudaMemcpyDeviceToHost);
    seen[4] = back[0] + back[1] + back[2] + back[3];
    seen[5] = cudaMemset(device, 0, 8);
    seen[6] = cudaMemcpy(back, device, sizeof back, cudaMemcpyDeviceToHost);
    seen[7] = back[0] + back[1] + back[2] + back[3];
    seen[8] = int(reinterpret_cast<size_t>(device) % 256);
    seen[9] = cudaFree(device);
    seen[10] = cudaFreeHost(host);
    seen[11] = cudaFree(nullptr);
    give(out, seen, 12);
}

extern "C" void managed(int* out) {
    int* both;
    int seen[2];
    seen[0] = cudaMallocManaged(&both, 100 * sizeof(int));
    for (int i = 0; i < 100; ++i) both[i] = i;
    add_one<<<1, 128>>>(both, 100);
    cudaDeviceSynchronize();
    seen[1] = 0;
    for (int i = 0; i < 100; ++i) seen[1] += both[i];
    cudaFree(both);
    give(out, seen, 2);
}

extern "C" void pitched(int* out) {
    int rows[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}, left[3][2], *device;
    cudaMalloc(&device, sizeof left);
    int seen[3];
    seen[0] = cudaMemcpy2D(device, 8, rows, 16, 8, 3, cudaMemcpyHostToDevice);
    cudaMemcpy(left, device, sizeof left, cudaMemcpyDeviceToHost);
    seen[1] = left[2][1];
    seen[2] = cudaMemcpy2D(device, 4, rows, 16, 8, 3, cudaMemcpyHostToDevice);
    cudaGetLastError();
    cudaFree(device);
    give(out, seen, 3);
}

extern "C" void streams(int* out) {
    cudaStream_t stream;
    cudaEvent_t start, end, untimed;
    int seen[10];
    float ms = -1;
    seen[0] = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreate(&start);
    cudaEventCreate(&end);
    cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);
    int* data;
    cudaMalloc(&data, 4);
    cudaMemsetAsync(data, 0, 4, stream);
    seen[1] = cudaEventRecord(start, stream);
    for (int i = 0; i < 100; ++i) add_one<<<1, 1, 0, stream>>>(data, 1);
    seen[2] = cudaEventRecord(end, stream);
    seen[3] = cudaEventRecord(untimed, stream);
    seen[4] = cudaStreamWaitEvent(0, end, 0);
    seen[5] = cudaStreamSynchronize(stream);
    seen[6] = cudaEventElapsedTime(&ms, start, end);
    seen[7] = ms > 0;
    seen[8] = cudaEventElapsedTime(&ms, start, untimed);
    cudaGetLastError();
    cudaMemcpy(&seen[9], data, 4, cudaMemcpyDeviceToHost);
    cudaEventDestroy(start);
    cudaEventDestroy(end);
    cudaEventDestroy(untimed);
    cudaStreamDestroy(stream);
    cudaFree(data);
    give(out, seen, 10);
}

extern "C" void devices(int* out) {
    cudaDeviceProp p;
    int seen[8], value;
    seen[0] = cudaGetDeviceProperties(&p, 0);
    seen[1] = p.warpSize;
    seen[2] = p.maxThreadsPerBlock;
    seen[3] = int(p.sharedMemPerBlock);
    seen[4] = cudaDeviceGetAttribute(&value, cudaDevAttrMaxGridDimY, 0);
    seen[5] = value;
    seen[6] = cudaSetDevice(1 << 20);
    cudaGetLastError();
    seen[7] = cudaSetDevice(0);
    give(out, seen, 8);
}

struct alignas(16) Four {
    float v[4];
};

// 16-byte accesses and the vector types.
__global__ void vectors(const float4* in, float4* out, double2* pairs) {
    float4 x = in[threadIdx.x];
    out[threadIdx.x] = make_float4(x.w, x.z, x.y, x.x);
    pairs[threadIdx.x] = make_double2(x.x, x.y);
}

extern "C" void vector_types(const float* in, float* out, double* pairs, int n, cudaStream_t stream) {
    static_assert(sizeof(float4) == 16 && alignof(float4) == 16 && alignof(float3) == 4 && alignof(double2) == 16);
    static_assert(sizeof(float3) == 12 && alignof(int2) == 8 && alignof(uchar4) == 4 && sizeof(Four) == 16);
    vectors<<<1, n / 4, 0, stream>>>(reinterpret_cast<const float4*>(in), reinterpret_cast<float4*>(out),
                                     reinterpret_cast<double2*>(pairs));
}
