#include "exports/value_types.h"

#include <optional>
#include <vector>

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

namespace vitrain::exports {

void widen(torch::jit::Value& ours, const torch::jit::Value& theirs) {
  const auto a = ours.type()->cast<c10::TensorType>();
  const auto b = theirs.type()->cast<c10::TensorType>();
  if (!a || !b || !a->sizes().sizes() || !b->sizes().sizes()) {
    return;
  }
  std::vector<std::optional<std::int64_t>> sizes = *a->sizes().sizes();
  const std::vector<std::optional<std::int64_t>> second = *b->sizes().sizes();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i >= second.size() || sizes[i] != second[i]) {
      sizes[i] = std::nullopt;
    }
  }
  ours.setType(c10::TensorType::create(
      a->scalarType(),
      a->device(),
      c10::SymbolicShape(sizes),
      c10::VaryingShape<c10::Stride>(sizes.size()),
      /*requires_grad=*/false));
}

bool is_same_tensor(const at::Tensor& a, const at::Tensor& b) {
  return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() &&
      at::equal(a, b);
}

} // namespace vitrain::exports
