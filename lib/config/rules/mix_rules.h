#pragma once

#include <vector>

#include "config/rules/checker.h"
#include "config/rules/validate.h"

namespace vitrain::config {

// What is wrong with the keys of training that mixes or erases images.
std::vector<Finding> check_mixing(
    const Recipe& recipe,
    const Circumstances& circumstances);

} // namespace vitrain::config
