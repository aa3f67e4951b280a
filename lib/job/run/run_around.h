#pragma once

#include <filesystem>
#include <optional>

#include "job/run/run_directory.h"

namespace vitrain::job {

// The run folder that a path lies in, or is; none where that cannot be said.
std::optional<RunDirectory> run_around(const std::filesystem::path& path);

} // namespace vitrain::job
