#pragma once

#include <ATen/core/Tensor.h>

namespace torch::jit {
struct Value;
} // namespace torch::jit

namespace vitrain::exports {

// Takes the dimensions out of the type of `ours` that the type of `theirs`, the
// same value of another recording, does not have as well.
void widen(torch::jit::Value& ours, const torch::jit::Value& theirs);

// Whether two constants have the same type, shape and numbers.
bool is_same_tensor(const at::Tensor& a, const at::Tensor& b);

} // namespace vitrain::exports
