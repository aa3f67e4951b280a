#pragma once

#include <string>
#include <string_view>

namespace vitrain::config {

// docs/config.md: every key with type, default, allowed values and meaning, as
// Markdown.
std::string reference();

// Keys between blanks as Markdown's code, with commas; "" stays "".
std::string quoted_keys(std::string_view keys);

} // namespace vitrain::config
