#pragma once

#include <filesystem>
#include <string>

namespace vitrain::data {

// Returns a line with the absolute form of a relative path, beginning with a
// line end; "" for an absolute path.
std::string describe_place(const std::filesystem::path& path);

// Returns advice on a dataset that does not exist, to be appended to an error
// message: the missing part of its path, and other data that could be meant; ""
// for a path that exists or is a pattern.
std::string advise_on_missing(const std::filesystem::path& path);

} // namespace vitrain::data
