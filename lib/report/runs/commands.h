#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/runs/run_record.h"

namespace vitrain::report {

// A line for a shell, and what it does: in a word or two, and in a sentence.
struct Command {
  std::string label; // "continue"; "" for what only a page shows
  std::string what;
  std::string line;
};

// Commands that continue a run, evaluate it, look at it, start one like it and
// export it. `program`: the executable. In the working folder of the run where
// that is known, since its paths are relative to it.
std::vector<Command> commands_for(const Run& run, const std::string& program);

// Those with a label, for the end of a run: in the working folder of this
// process, with the program as a user would call it.
std::vector<Command> commands_here(const Run& run);

// A path as a command in the working folder of this process gives it.
std::string path_here(const std::filesystem::path& path);

} // namespace vitrain::report
