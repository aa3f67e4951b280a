#pragma once

#include <filesystem>
#include <optional>

#include "job/run/run_directory.h"

namespace vitrain::job {

// Returns the run folder that is or contains a path; nullopt if there is none.
std::optional<RunDirectory> enclosing_run(const std::filesystem::path& path);

} // namespace vitrain::job
