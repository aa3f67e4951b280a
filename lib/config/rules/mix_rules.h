#pragma once

#include <vector>

#include "config/rules/checker.h"
#include "config/rules/validate.h"

namespace vitrain::config {

// Checks the keys about mixing, erasing, and the loss with its options.
std::vector<Finding> check_mixing(
    const Recipe& recipe,
    const CheckContext& context);

} // namespace vitrain::config
