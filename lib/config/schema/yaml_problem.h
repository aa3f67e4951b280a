#pragma once

#include <string>
#include <string_view>

namespace vitrain::config {

// Returns an explanation, for the author of a YAML text, of why yaml-cpp
// refuses it at `line` and `column` (both from 1). `message`: yaml-cpp's
// message.
std::string explain_yaml_problem(
    std::string_view text,
    int line,
    int column,
    const std::string& message);

} // namespace vitrain::config
