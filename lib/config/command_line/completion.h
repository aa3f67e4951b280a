#pragma once

#include <string>
#include <vector>

#include "config/command_line/arguments.h"

namespace vitrain::config {

// Words that folders above this one know.
struct CompletionWords {
  std::vector<std::string> models; // that model.name can be
  std::vector<std::string> launchers; // that -launcher can be
};

// Returns a completion script for vitrain's command line: verbs, their options,
// the options' values, keys of -set and their values. The script calls no
// program.
std::string completion(Shell shell, const CompletionWords& words);

} // namespace vitrain::config
