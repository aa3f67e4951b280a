#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace vitrain::job {

// Returns display names of the classes of a network with `count` outputs: all
// in `known`, then the numbers (from 0) of the classes up to `count`.
std::vector<std::string> display_names(
    const std::vector<std::string>& known,
    std::int64_t count);

// Reads display names from a file: one name per line in the order of the
// classes; or lines with the class's name in `known` (else its number), a
// space, tab or comma, and the display name ("n01440764 tench, Tinca tinca"),
// in any order, with further lines allowed; or a .csv file of these two
// columns, or with the names in its first column in the order of the classes.
// Blank lines of a text file do not count. Throws Error(kData) if the file
// cannot be read, or if not all classes are found by name and the number of
// lines is not `count`.
std::vector<std::string> display_names(
    const std::vector<std::string>& known,
    std::int64_t count,
    const std::filesystem::path& file);

} // namespace vitrain::job
