#pragma once

#include "optim/rules/optimizers.h"

namespace vitrain::optim {

// MakeOptimizer for a class with a (parameters, options) constructor.
template <typename Rule>
std::unique_ptr<Optimizer> construct(
    FlatState& parameters,
    const config::OptimConfig& options) {
  return std::make_unique<Rule>(parameters, options);
}

// One constructor per optimizer; the table in optimizers.cpp lists them.
extern const MakeOptimizer make_adagrad;
extern const MakeOptimizer make_adafactor;
extern const MakeOptimizer make_adam;
extern const MakeOptimizer make_adamw;
extern const MakeOptimizer make_adan;
extern const MakeOptimizer make_lamb;
extern const MakeOptimizer make_lars;
extern const MakeOptimizer make_lion;
extern const MakeOptimizer make_muon;
extern const MakeOptimizer make_nadamw;
extern const MakeOptimizer make_rmsprop;
extern const MakeOptimizer make_rmsprop_tf;
extern const MakeOptimizer make_sgd;

} // namespace vitrain::optim
