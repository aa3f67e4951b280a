#pragma once

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "optim/flat_state.h"

namespace vitrain::optim {

// Limits on the gradients before an update; 0: no limit.
struct Clipping {
  double agc = 0.0;
  double value = 0.0;
  double norm = 0.0;
  // Prefixes of the names of parameters that agc skips: the classifier's.
  std::vector<std::string> agc_exempt{};
};

// Clips the gradients of all groups, in this order:
//
// agc: limits the gradient norm of each output unit (of a whole parameter with
// one dimension) to `agc` times the unit's weight norm, which counts as at
// least 1e-3 (Brock et al., "High-performance large-scale image recognition
// without normalization", 2021; timm's adaptive_clip_grad); value: clamps each
// number to [-value, value] (torch.nn.utils.clip_grad_value_); norm: multiplies
// all gradients by norm / (total norm + 1e-6), at most 1, which limits their
// total norm (torch.nn.utils.clip_grad_norm_).
//
// Returns the total norm before clipping, a scalar on the gradients' device,
// without waiting for the device. Non-finite gradients stay non-finite.
at::Tensor clip_gradients(FlatState& state, const Clipping& clipping);

} // namespace vitrain::optim
