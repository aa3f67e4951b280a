#pragma once

#include <filesystem>
#include <string>

namespace vitrain::data {

// Returns a hint for a list entry whose file is missing, in parentheses after a
// space: that the name has no extension of an image, or that it is an absolute
// path of data that were moved; "" for other names. `folder`: the list's.
std::string hint_for_missing_image(
    const std::filesystem::path& folder,
    const std::string& name);

} // namespace vitrain::data
