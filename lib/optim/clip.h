#pragma once

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "optim/weights/flat_state.h"

namespace vitrain::optim {

// How gradients are bounded before an update; 0: not.
struct Clipping {
  double agc = 0.0;
  double value = 0.0;
  double norm = 0.0;
  // Starts of the names of parameters that agc leaves out: the classifier's.
  std::vector<std::string> agc_exempt{};
};

// Bounds the gradients of all groups, in this order:
//
// agc: those of an output (of everything in a parameter of one dimension) to
// this share of the norm of its weights, which counts as 1e-3 at least (Brock
// et al., "High-performance large-scale image recognition without
// normalization", 2021; timm's adaptive_clip_grad);
// value: each number to [-value, value] (torch.nn.utils.clip_grad_value_);
// norm: all of them together to this Euclidean norm (clip_grad_norm_: factor
// norm / (their norm + 1e-6), at most 1).
//
// Returns their norm before anything was done, a scalar on the gradients'
// device; nothing waits for the device. What is not finite stays so.
at::Tensor clip_gradients(FlatState& state, const Clipping& clipping);

} // namespace vitrain::optim
