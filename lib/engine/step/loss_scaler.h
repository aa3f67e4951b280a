#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <ATen/core/Tensor.h>

#include "optim/flat_state.h"

namespace vitrain::engine {

struct LossScaling {
  double initial = 65536.0; // first scale
  double growth = 2.0; // factor after `interval` finite steps in a row
  double backoff = 0.5; // factor after a step that is not finite
  std::int64_t interval = 2000;
};

// Scales the loss so that fp16 gradients do not underflow, and adapts the scale
// as torch.amp.GradScaler does. The scale lives on the device, and no function
// waits for it. With a scale that is a power of 2, gradients that neither
// overflow nor underflow have the same bits as unscaled ones.
class LossScaler {
 public:
  // Smallest useful scale: if gradients overflow even below this, no scale
  // helps (fairseq's --min-loss-scale).
  static constexpr double kLeast = 1e-4;

  LossScaler(const LossScaling& options, at::Device device);

  // Returns the loss times the scale, from which backward starts.
  at::Tensor scaled(const at::Tensor& loss) const;
  // Divides the gradients by the scale.
  void unscale(optim::FlatState& parameters) const;
  // Call after each step. `non_finite`: fp32 scalar, 1 if the reduced gradients
  // were not finite; it must be equal on all ranks.
  void update(const at::Tensor& non_finite);

  const at::Tensor& scale() const { return scale_; } // scalar, fp32
  const at::Tensor& finite_steps() const { return finite_steps_; } // int32
  // Returns the state for a checkpoint, by name; update() changes these tensors
  // in place.
  std::map<std::string, at::Tensor> state() const;

 private:
  LossScaling options_;
  at::Tensor scale_;
  at::Tensor finite_steps_; // finite steps since the scale last changed
};

} // namespace vitrain::engine
