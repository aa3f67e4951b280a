#pragma once

#include <string>
#include <string_view>

namespace vitrain::weights {

// Describes a file that is no file of weights, by its first bytes `start` or
// the extension of its name, and says what to give in its place: "is a JPEG
// image; ...". Returns "" for bytes that it does not know.
std::string other_content(std::string_view name, std::string_view start);

} // namespace vitrain::weights
