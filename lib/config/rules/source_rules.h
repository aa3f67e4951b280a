#pragma once

#include <string>

#include "config/rules/checker.h"
#include "config/sections/source.h"

namespace vitrain::config {

// Values of `section` (data.train, data.eval) that do not go with its kind:
// they would have no effect, or none that the kind knows.
void check_kind(
    const std::string& section,
    const SourceConfig& source,
    Checker& checker);

} // namespace vitrain::config
