#pragma once

#include <string>
#include <string_view>

namespace vitrain::config {

// Returns docs/config.md, as Markdown: every key with default, allowed values
// and meaning, PaddleViT's keys, and the words of other programs.
std::string reference();

// Returns keys that are separated by blanks as Markdown code, separated by
// commas; "" stays "".
std::string quoted_keys(std::string_view keys);

} // namespace vitrain::config
