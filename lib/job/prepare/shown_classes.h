#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace vitrain::job {

// How people call the classes of a network with `count` outputs: `known`, or
// their numbers where no names are known.
std::vector<std::string> shown_classes(
    const std::vector<std::string>& known,
    std::int64_t count);

// The same by a file: with a name on each line, in the order of the classes'
// numbers; or with the name that a class has in `known`, a blank, tab or comma,
// and what it is called ("n01440764 tench, Tinca tinca"), in any order; or a
// .csv file of these two. Throws Error(kData) for a file that is neither of
// them.
std::vector<std::string> shown_classes(
    const std::vector<std::string>& known,
    std::int64_t count,
    const std::filesystem::path& file);

} // namespace vitrain::job
