#include "products.h"

#include "current.h"
#include "faults.h"
#include "memory.h"
#include "order.h"
#include "record.h"

namespace vitrain::fake_cuda {
namespace {

constexpr int kExecutionFailed = 13;

// Bytes of a number, at least.
std::size_t size_of(int type) {
  constexpr int kFloat64 = 1;
  constexpr int kFloat16 = 2;
  constexpr int kBFloat16 = 14;
  switch (type) {
    case kFloat32:
      return 4;
    case kFloat64:
      return 8;
    case kFloat16:
    case kBFloat16:
      return 2;
    default:
      return 1;
  }
}

void use(cudaStream_t stream, const Operand& operand, bool writes) {
  const std::size_t bytes = operand.layout.bytes();
  expect_on_device(operand.memory, bytes, "a matrix product");
  use_in_order(stream, {operand.memory, bytes, writes}, "a matrix product");
}

} // namespace

std::size_t Layout::bytes() const {
  if (rows == 0 || columns == 0 || batch == 0) {
    return 0;
  }
  const std::int64_t numbers =
      (batch - 1) * stride + (columns - 1) * leading + rows;
  return static_cast<std::size_t>(numbers) * size_of(type);
}

int product(
    cudaStream_t stream,
    const Operand& a,
    const Operand& b,
    const Operand& c) {
  count(Count::kProducts);
  use(stream, a, /*writes=*/false);
  use(stream, b, /*writes=*/false);
  use(stream, c, /*writes=*/true);
  return launch_error(current_device()) == cudaSuccess ? kSuccess
                                                       : kExecutionFailed;
}

} // namespace vitrain::fake_cuda
