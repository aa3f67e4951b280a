#pragma once

#include <cstdint>
#include <memory>

#include "config/sections/optim/optim.h"
#include "optim/optimizer.h"
#include "optim/weights/flat_state.h"

namespace vitrain::optim {

using MakeOptimizer = std::unique_ptr<Optimizer> (*)(
    FlatState& parameters,
    const config::OptimConfig& options);

// What the program knows of an optimizer beyond its row in
// config/sections/optim/optimizer_row.h.
struct OptimizerInfo {
  config::OptimKind kind;
  // fp32 values that it keeps for each parameter, about: without what is kept
  // by row and column.
  int (*state_values)(const config::OptimConfig& options);
  const MakeOptimizer& make;
};

const OptimizerInfo& optimizer_info(config::OptimKind kind);

// The same of all that `options` name, Lookahead's weights among them.
int state_values(const config::OptimConfig& options);

// The optimizer of `options`. `parameters` must outlive it.
std::unique_ptr<Optimizer> make_optimizer(
    FlatState& parameters,
    const config::OptimConfig& options);

// The same of `sgd` with momentum whose gradients are velocities already, sums
// to which that momentum has been applied (dist.topk.momentum_correction). Its
// state is that of make_optimizer()'s.
std::unique_ptr<Optimizer> make_velocity_sgd(
    FlatState& parameters,
    const config::OptimConfig& options);

} // namespace vitrain::optim
