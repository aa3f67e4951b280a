#pragma once

#include <filesystem>
#include <string>

namespace vitrain::data {

// Returns a hint for a list entry whose file is missing, in parentheses after a
// space, or "": the name lacks its extension, or it is an absolute path of data
// that were moved. `folder` is the folder of the list.
std::string hint_for_missing_image(
    const std::filesystem::path& folder,
    const std::string& name);

} // namespace vitrain::data
