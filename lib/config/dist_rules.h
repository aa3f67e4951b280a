#pragma once

#include <vector>

#include "config/augment_rules.h"
#include "config/validate.h"

namespace vitrain::config {

// What is wrong with the keys of the exchange between workers (section dist).
std::vector<Finding> check_dist(
    const Recipe& recipe,
    const Circumstances& circumstances);

} // namespace vitrain::config
