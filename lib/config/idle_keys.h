#pragma once

#include <vector>

#include "config/augment_rules.h"
#include "config/problems.h"
#include "config/recipe.h"

namespace vitrain::config {

// Keys that were set and cannot have an effect on this training, because of
// what others are. Of those that a file has only those count that a reader
// would take to be at work (data.augment.color_jitter): files may be bases,
// which set what some of their users need.
std::vector<Finding> idle_keys(const Recipe& recipe, const Origins& origins);

} // namespace vitrain::config
