#pragma once

#include <string>
#include <string_view>

namespace vitrain::config {

// Explains why yaml-cpp refuses a YAML text at `line` and `column` (both from
// 1) to the person who wrote it. `message` is yaml-cpp's.
std::string explain_yaml_problem(
    std::string_view text,
    int line,
    int column,
    const std::string& message);

} // namespace vitrain::config
