// Launches the reductions of BBuf/how-to-optim-algorithm-in-cuda. Each file defines the same helpers, and a main().
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <bits/stdc++.h>
#include <iostream>
#include <sys/time.h>
#include <time.h>

namespace v0 {
#include "BBuf+how-to-optim-algorithm-in-cuda/cuda-kernels/reduce/reduce_v0_baseline.cu"
}
namespace v1 {
#include "BBuf+how-to-optim-algorithm-in-cuda/cuda-kernels/reduce/reduce_v1_interleaved_addressing.cu"
}
namespace v2 {
#include "BBuf+how-to-optim-algorithm-in-cuda/cuda-kernels/reduce/reduce_v2_bank_conflict_free.cu"
}
namespace v3 {
#include "BBuf+how-to-optim-algorithm-in-cuda/cuda-kernels/reduce/reduce_v3_idle_threads_free.cu"
}
namespace v4 {
#include "BBuf+how-to-optim-algorithm-in-cuda/cuda-kernels/reduce/reduce_v4_unroll_last_warp.cu"
}
namespace v5 {
#include "BBuf+how-to-optim-algorithm-in-cuda/cuda-kernels/reduce/reduce_v5_completely_unroll.cu"
}
namespace v6 {
#include "BBuf+how-to-optim-algorithm-in-cuda/cuda-kernels/reduce/reduce_v6_multi_add.cu"
}
#undef N
#undef BLOCK_SIZE
namespace v8 {
#include "BBuf+how-to-optim-algorithm-in-cuda/cuda-kernels/reduce/reduce_v8_shfl_down_sync_pack.cu"
}
#undef N

// A block of 256 threads sums 256 elements (versions 0 to 2), 512 (3 to 5), 1024 (6), or its part of n (8).
extern "C" void reduce(int version, float* in, float* out, int n) {
    switch (version) {
        case 0: v0::reduce_v0<<<n / 256, 256>>>(in, out); break;
        case 1: v1::reduce_v1<<<n / 256, 256>>>(in, out); break;
        case 2: v2::reduce_v2<<<n / 256, 256>>>(in, out); break;
        case 3: v3::reduce_v3<<<n / 512, 256>>>(in, out); break;
        case 4: v4::reduce_v4<<<n / 512, 256>>>(in, out); break;
        case 5: v5::reduce_v5<256><<<n / 512, 256>>>(in, out); break;
        case 6: v6::reduce_v6<256, 4><<<n / 1024, 256>>>(in, out); break;
        case 8: v8::reduce_v8<<<2, 256>>>(in, out, n); break;
    }
}
