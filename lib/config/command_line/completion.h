#pragma once

#include <string>
#include <vector>

#include "config/command_line/arguments.h"

namespace vitrain::config {

// Words for completion that only folders above this one know.
struct CompletionWords {
  std::vector<std::string> models; // values of model.name
  std::vector<std::string> launchers; // values of -launcher
};

// Returns a completion script for vitrain's command line: verbs, their options,
// the options' values, keys of -set and their values. The script calls no
// program.
std::string completion(Shell shell, const CompletionWords& words);

} // namespace vitrain::config
