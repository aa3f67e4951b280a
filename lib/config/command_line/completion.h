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

// Returns the script that makes a shell complete vitrain's command line. It
// runs `vitrain __complete WORDS...`, which prints complete().
std::string completion_script(Shell shell);

// Returns the completions of the last of these words of a command line (without
// the program's name). First line: "f" (also names of files), "d" (also of
// folders) or "w" (only these words). Then a word on each line, and after a tab
// what it means.
std::string complete(
    std::vector<std::string> words,
    const CompletionWords& known);

} // namespace vitrain::config
