#pragma once

#include <filesystem>
#include <string>

namespace vitrain::data {

// Returns what may have been meant by a name in a list whose file is missing,
// in brackets after a blank, or "": a name without its suffix, or an absolute
// one of data that have moved. `folder` is the list's.
std::string hint_for_missing_image(
    const std::filesystem::path& folder,
    const std::string& name);

} // namespace vitrain::data
