#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "config/sections/dist.h"
#include "dist/group/group.h"

// Checks that end a run before non-finite numbers do harm.
namespace vitrain::engine {

// Returns the names of tensors that contain a NaN or an infinity. Waits for the
// device once.
std::vector<std::string> non_finite_names(
    const std::map<std::string, at::Tensor>& tensors);

// Position in the run, for messages.
struct Moment {
  std::int64_t step = 0; // from 1
  std::int64_t epoch = 0; // from 1
  double lr = 0.0;
  std::string last_checkpoint; // "the last checkpoint is of step 50"
};

// Throws Error(kNonFinite) on all ranks if any rank's `model`, its tensors by
// name, is not finite: such weights must be neither evaluated nor saved; calls
// `moment` on all ranks only then. Collective.
void check_weights(
    dist::Group& control,
    const std::map<std::string, at::Tensor>& model,
    const std::function<Moment()>& moment);

// Facts about a non-finite gradient norm.
struct BadNorm {
  double norm = 0.0;
  Compress compress = Compress::kNone;
  // GradientSync::largest_sent() of each rank, or of this rank only if replicas
  // differ; empty: unknown.
  std::vector<double> sent;
  // Sum of the losses of each rank, or of this rank only if replicas differ;
  // empty: unknown.
  std::vector<double> losses{};
};

// Throws Error(kNonFinite) that names the likely cause: training has diverged,
// or gradients did not fit into the dtype in which they are exchanged.
[[noreturn]] void fail_gradient(const BadNorm& bad, const Moment& moment);

// Throws Error(kNonFinite): gradients overflow fp16 even though the loss scale
// has fallen to `scale`.
[[noreturn]] void fail_loss_scale(double scale, const Moment& moment);

} // namespace vitrain::engine
