#pragma once

#include <vector>

#include "config/rules/checker.h"
#include "config/rules/validate.h"

namespace vitrain::config {

// Checks, for training, mixup and CutMix, erasing, and the options of
// train.loss against other keys.
std::vector<Finding> check_mixing(
    const Recipe& recipe,
    const CheckContext& context);

} // namespace vitrain::config
