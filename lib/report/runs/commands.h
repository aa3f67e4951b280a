#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/runs/run_record.h"

namespace vitrain::report {

// A shell command, its label and a description of what it does.
struct Command {
  std::string label; // "continue"; "" for commands that only a page shows
  std::string what;
  std::string line;
};

// Returns commands that continue a run, evaluate it, show it, start a similar
// one and export it, as far as they apply. `program`: the executable. Commands
// change to the folder in which the run was started if it is known, because the
// run's paths are relative to it.
std::vector<Command> commands_for(const Run& run, const std::string& program);

// Returns the commands of commands_for() that have a label, for the end of a
// run: without a change of folder, with paths for the working folder of this
// process, and with the program's name as a user would call it there.
std::vector<Command> commands_here(const Run& run);

// Returns a path for a command in the working folder of this process: relative
// if it is inside that folder, else unchanged.
std::string path_here(const std::filesystem::path& path);

} // namespace vitrain::report
