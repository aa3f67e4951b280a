#pragma once

#include <driver_types.h>

#include <cstddef>

// Computations on device memory for break_rule.cpp, by the preloaded libraries.

// to = from from, of matrices of `side` rows and columns, by cuBLAS or
// cuBLASLt.
void multiply(
    void* to,
    const void* from,
    int side,
    cudaStream_t stream,
    bool lt = false);
// A plan of cuDNN: to = the ReLU of from, numbers of fp32.
void run_plan(
    void* to,
    const void* from,
    std::size_t bytes,
    cudaStream_t stream);
// void read(float const*)
void launch_reader(const void* from, cudaStream_t stream);
// Launches torch's elementwise kernel: to = f(from), on `count` one-byte
// elements.
void launch_elementwise(
    void* to,
    const void* from,
    int elements,
    cudaStream_t stream);
