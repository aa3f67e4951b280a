#pragma once

#include <span>
#include <string>

#include "config/foreign/words.h"

namespace vitrain::config::foreign {

// Returns what follows the script that a command runs, without the number of
// processes of distributed_train.sh; all of a line that names no script. Throws
// Error(kUsage) for a script other than the program's, whose words mean
// something else.
std::span<const std::string> arguments_of(
    const Program& program,
    std::span<const std::string> line);

} // namespace vitrain::config::foreign
