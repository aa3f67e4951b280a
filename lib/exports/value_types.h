#pragma once

#include <ATen/core/Tensor.h>

namespace torch::jit {
struct Value;
} // namespace torch::jit

namespace vitrain::exports {

// Makes those sizes in the type of `ours` unknown that differ in the type of
// `theirs`, the same value in another recording. Does nothing unless both types
// have sizes.
void widen(torch::jit::Value& ours, const torch::jit::Value& theirs);

// True if two constants have the same type, shape and values.
bool is_same_tensor(const at::Tensor& a, const at::Tensor& b);

} // namespace vitrain::exports
