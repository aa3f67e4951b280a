#pragma once

#include <string>
#include <string_view>

namespace vitrain::config {

// Returns the manual page (section 1) as man(7) source: verbs, options,
// examples, exit codes.
std::string man_page(std::string_view version);

} // namespace vitrain::config
