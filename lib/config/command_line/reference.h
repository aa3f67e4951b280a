#pragma once

#include <string>
#include <string_view>

namespace vitrain::config {

// Returns docs/config.md: every key with type, default, allowed values and
// meaning, as Markdown.
std::string reference();

// Returns keys that are separated by blanks as Markdown code, separated by
// commas; "" stays "".
std::string quoted_keys(std::string_view keys);

} // namespace vitrain::config
