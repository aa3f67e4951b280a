#pragma once

#include <span>
#include <string>

#include "config/foreign/words.h"

namespace vitrain::config::foreign {

// Returns the words after the script that a command line runs, or after
// `python -m MODULE`, without the number of processes of distributed_train.sh;
// the whole line if it names neither. Throws Error(kUsage) for scripts that are
// known to have words with other meanings, and for names without "train".
std::span<const std::string> arguments_of(
    const Program& program,
    std::span<const std::string> line);

} // namespace vitrain::config::foreign
