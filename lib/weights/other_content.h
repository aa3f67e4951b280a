#pragma once

#include <string>
#include <string_view>

namespace vitrain::weights {

// Describes a file of another type, detected by its first bytes `start` or its
// extension, and what to use instead: "is a JPEG image; ...". Returns "" for
// unknown types.
std::string other_content(std::string_view name, std::string_view start);

} // namespace vitrain::weights
