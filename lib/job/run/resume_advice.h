#pragma once

#include <filesystem>
#include <string>

#include "job/run/job.h"

namespace vitrain::job {

// Returns the message for a -resume of a run that has completed all its steps:
// nothing is left to do, and the command that trains it longer.
std::string finished_text(const Job& job);

// True if `path` exists but is not a run folder, a checkpoint or a checkpoints
// folder, nor inside one, so that -resume cannot mean it.
bool is_no_run(const std::filesystem::path& path);

// Describes a path for which is_no_run() is true, and suggests the option that
// it is for: "is no run folder and no checkpoint: it holds images. To train on
// them: -data_path PATH".
std::string describe_no_run(const std::filesystem::path& path);

} // namespace vitrain::job
