#pragma once

#include <cstdint>
#include <memory>

#include "config/sections/optim.h"
#include "optim/flat_state.h"
#include "optim/optimizer.h"

namespace vitrain::optim {

using MakeOptimizer = std::unique_ptr<Optimizer> (*)(
    FlatState& parameters,
    const config::OptimConfig& options);

// Implementation of an optimizer. Its other properties are in its row of
// config/sections/optimizer_row.h.
struct OptimizerInfo {
  config::OptimKind kind;
  // Approximate number of fp32 state values per parameter value; state per row
  // and column is not counted.
  int (*state_values)(const config::OptimConfig& options);
  const MakeOptimizer& make;
};

const OptimizerInfo& optimizer_info(config::OptimKind kind);

// Returns the approximate number of fp32 state values per parameter value,
// including Lookahead's weights.
int state_values(const config::OptimConfig& options);

// Returns the optimizer of `options`. `parameters` must outlive it.
std::unique_ptr<Optimizer> make_optimizer(
    FlatState& parameters,
    const config::OptimConfig& options);

// Returns an `sgd` with momentum for gradients that already contain the
// momentum (dist.topk.momentum_correction). Its state has the names and shapes
// of make_optimizer()'s.
std::unique_ptr<Optimizer> make_velocity_sgd(
    FlatState& parameters,
    const config::OptimConfig& options);

} // namespace vitrain::optim
