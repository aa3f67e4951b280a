#pragma once

#include <string>
#include <vector>

#include "report/runs/run_record.h"

namespace vitrain::report {

// How to go on with a run: a line for a shell, and what it does.
struct Command {
  std::string what;
  std::string line;
};

// To continue it, evaluate it, export it, start one like it. `program`: the
// executable. In the working folder of the run where that is known, since its
// paths are relative to it.
std::vector<Command> commands_for(const Run& run, const std::string& program);

} // namespace vitrain::report
