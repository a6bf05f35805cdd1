// What programs include beside the runtime: cuBLAS, cuBLASLt's handle, the profiler's switch.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_profiler_api.h>

#if !defined(__CUDA_RUNTIME_H__) || !defined(__DRIVER_TYPES_H__) || !defined(CUBLAS_API_H_)
#error "common helper headers look for these guards"
#endif

static cublasOperation_t op(bool transposed) { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }

extern "C" void product(const float* a, const float* b, float* c, int m, int n, int k, bool ta, bool tb, float alpha,
                        float beta, int* status) {
    cublasHandle_t handle;
    cublasCreate(&handle);
    cublasSetStream(handle, 0);
    *status = cublasSgemm(handle, op(ta), op(tb), m, n, k, &alpha, a, ta ? k : m, b, tb ? n : k, &beta, c, m);
    cublasDestroy(handle);
}

extern "C" void products(const double* a, const double* b, double* c, int m, int n, int k, int count, int* status) {
    cublasHandle_t handle;
    cublasCreate(&handle);
    double one = 1, zero = 0;
    *status = cublasDgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, m, 1LL * m * k, b, k,
                                        1LL * k * n, &zero, c, m, 1LL * m * n, count);
    cublasDestroy(handle);
}

extern "C" void times_vector(const float* a, const float* x, float* y, int m, int n, bool transposed, int step,
                             int* status) {
    cublasHandle_t handle;
    cublasCreate(&handle);
    float two = 2, half = 0.5f;
    *status = cublasSgemv(handle, op(transposed), m, n, &two, a, m, x, step, &half, y, step);
    cublasDestroy(handle);
}

extern "C" void refused(float* x, int* status) {
    cublasHandle_t handle;
    cublasLtHandle_t lt;
    cublasCreate(&handle);
    float one = 1;
    status[0] = cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, x, 3, x, 4, &one, x, 4);
    status[1] = cublasLtCreate(&lt);
    status[2] = cublasLtDestroy(lt);
    status[3] = cudaProfilerStart();
    status[4] = cudaProfilerStop();
    cublasDestroy(handle);
}
