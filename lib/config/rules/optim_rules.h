#pragma once

#include <vector>

#include "config/rules/checker.h"
#include "config/sections/recipe.h"

namespace vitrain::config {

// Rules for training: optim's keys against each other and against dist, and the
// values that schedules change (weight_decay, model.drop_path, range_test's
// warmup_lr); also train.ema and checkpoint.weights. Other rules of schedule
// are in validate.cpp, those of dist.topk in dist_rules.cpp.
std::vector<Finding> check_optim(const Recipe& recipe);

} // namespace vitrain::config
