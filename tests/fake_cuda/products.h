#pragma once

#include <driver_types.h>

#include <cstddef>
#include <cstdint>

// Matrix products of cuBLAS and cuBLASLt, without NVIDIA's headers.
namespace vitrain::fake_cuda {

constexpr int kSuccess = 0;
constexpr int kFloat32 = 0; // CUDA_R_32F
constexpr int kAsItIs = 0; // CUBLAS_OP_N

// How matrices lie, column after column.
struct Layout {
  int type = kFloat32; // cudaDataType
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t leading = 0; // numbers from column to column
  std::int64_t batch = 1;
  std::int64_t stride = 0; // numbers from matrix to matrix

  // From the first number to the last.
  std::size_t bytes() const;
};

struct Operand {
  const void* memory;
  Layout layout;
};

// c = a b: counted; operands have to be on a device, and in order with what
// else uses them. Returns cuBLAS's status.
int product(
    cudaStream_t stream,
    const Operand& a,
    const Operand& b,
    const Operand& c);

} // namespace vitrain::fake_cuda
