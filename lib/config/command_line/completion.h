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

// What makes a shell complete the command line of vitrain: verbs, the options
// of each, their values, the keys of -set and the values of those. A text for
// the shell to read, which calls no program.
std::string completion(Shell shell, const CompletionWords& words);

} // namespace vitrain::config
