#pragma once

#include <filesystem>
#include <optional>

#include "job/run/run_directory.h"

namespace vitrain::job {

// Returns the run folder of a path, with links resolved: the path itself if it
// contains checkpoints/, or the parent of the innermost folder checkpoints/
// that is or contains it. nullopt for other and for missing paths.
std::optional<RunDirectory> enclosing_run(const std::filesystem::path& path);

} // namespace vitrain::job
