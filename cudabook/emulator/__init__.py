"""The SIMT emulator: CUDA C++ compiled by g++ and run on the CPU, with a block's threads as fibers."""
