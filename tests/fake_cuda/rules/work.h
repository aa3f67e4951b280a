#pragma once

#include <driver_types.h>

#include <cstddef>

// Work that computes on a device's memory, for break_rule.cpp. The libraries'
// calls are those that are preloaded.

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
// torch's element-wise kernels: to = f(from), of so many elements of one byte.
void launch_elementwise(
    void* to,
    const void* from,
    int elements,
    cudaStream_t stream);
