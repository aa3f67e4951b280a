#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/load_recipe.h"
#include "support/errors.h"
#include "support/files.h"

namespace vitrain::config {

// The message of the Error(kUsage) that `action` throws; "" when it throws
// none. Any other exception fails the test.
[[nodiscard]] std::string usage_error(const std::function<void()>& action);

// The message that YAML text is refused with, or "". Positions read "recipe".
std::string refusal_of_yaml(const std::string& yaml);

// Defaults with `key=value` texts applied as -set does.
Recipe recipe_with(const std::vector<std::string>& sets);

} // namespace vitrain::config
