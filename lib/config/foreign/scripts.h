#pragma once

#include <span>
#include <string>

#include "config/foreign/words.h"

namespace vitrain::config::foreign {

// Returns the words after the script that a command line runs, without the
// number of processes of distributed_train.sh; the whole line if it names no
// script. Throws Error(kUsage) for a script other than the program's, whose
// words have other meanings.
std::span<const std::string> arguments_of(
    const Program& program,
    std::span<const std::string> line);

} // namespace vitrain::config::foreign
