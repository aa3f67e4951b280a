#pragma once

#include <string>

namespace vitrain::config {

// docs/config.md: every key with type, default, allowed values and meaning, as
// Markdown.
std::string reference();

} // namespace vitrain::config
