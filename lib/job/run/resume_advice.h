#pragma once

#include <filesystem>
#include <string>

#include "job/job.h"

namespace vitrain::job {

// Message for a run that -resume means and that has all its steps: nothing is
// left to do, and the command that trains it longer.
std::string finished_text(const Job& job);

// Returns whether `path` exists and is neither in a run folder nor a checkpoint
// nor a folder of checkpoints, so that -resume cannot mean it.
bool is_no_run(const std::filesystem::path& path);

// Describes such a path and the option that it is for: "is no run folder and no
// checkpoint: it holds images. To train on them: -data_path PATH".
std::string describe_no_run(const std::filesystem::path& path);

} // namespace vitrain::job
