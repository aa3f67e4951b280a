#pragma once

#include <string>
#include <vector>

#include "config/command_line/arguments.h"

namespace vitrain::config {

// Words for completion that only callers outside lib/config know.
struct CompletionWords {
  std::vector<std::string> models; // values of model.name
  std::vector<std::string> launchers; // values of -launcher
};

// Returns the script that makes a shell complete vitrain's command line. The
// script runs `vitrain __complete WORDS...`, which prints complete().
std::string completion_script(Shell shell);

// Returns the completions of the last of these words of a command line (without
// the program's name). First line: the shell adds "f" names of files, "d" names
// of folders, "w" nothing. Then a completion on each line, followed by a tab
// and its meaning if it has one. `words` may be split at `=`, as bash does;
// completions then have only the part after it.
std::string complete(
    std::vector<std::string> words,
    const CompletionWords& known);

} // namespace vitrain::config
