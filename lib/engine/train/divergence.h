#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "config/sections/dist.h"
#include "dist/group/group.h"

// Numbers that are no longer finite end a run before they do harm.
namespace vitrain::engine {

// The tensors that hold a NaN or an infinity. Waits for the device once.
std::vector<std::string> non_finite_names(
    const std::map<std::string, at::Tensor>& tensors);

// When that was, for messages.
struct Moment {
  std::int64_t step = 0;
  std::int64_t epoch = 0;
  double lr = 0.0;
  std::string last_checkpoint; // "the last checkpoint is of step 50"
};

// Throws Error(kNonFinite) on all ranks where the model of one is not finite:
// such weights are neither evaluated nor saved. Collective.
void check_weights(
    dist::Group& control,
    const std::map<std::string, at::Tensor>& model,
    const Moment& moment);

// Facts about a non-finite gradient norm.
struct BadNorm {
  double norm = 0.0;
  Compress compress = Compress::kNone;
  // The largest absolute values that workers had to send, NaN or infinity where
  // theirs were not finite before they were rounded; empty: not known.
  std::vector<double> sent;
};

// Throws Error(kNonFinite) that names the likely cause: training has diverged,
// or numbers did not fit into the type in which they travel.
[[noreturn]] void fail_gradient(const BadNorm& bad, const Moment& moment);

// Throws Error(kNonFinite): gradients overflow fp16 though the scale of the
// loss has come down to this.
[[noreturn]] void fail_loss_scale(double scale, const Moment& moment);

} // namespace vitrain::engine
