#pragma once

#include <memory>

#include "config/sections/optim.h"
#include "optim/optimizer.h"

namespace vitrain::optim {

// One function for each rule; optimizers.cpp has their table.
using MakeOptimizer = std::unique_ptr<Optimizer>(
    FlatState& parameters,
    const config::OptimConfig& options);

MakeOptimizer make_adagrad;
MakeOptimizer make_adafactor;
MakeOptimizer make_adam;
MakeOptimizer make_adamw;
MakeOptimizer make_adan;
MakeOptimizer make_lamb;
MakeOptimizer make_lars;
MakeOptimizer make_lion;
MakeOptimizer make_muon;
MakeOptimizer make_nadamw;
MakeOptimizer make_rmsprop;
MakeOptimizer make_rmsprop_tf;
MakeOptimizer make_sgd;

} // namespace vitrain::optim
