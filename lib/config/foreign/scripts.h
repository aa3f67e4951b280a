#pragma once

#include <span>
#include <string>

#include "config/foreign/words.h"

namespace vitrain::config::foreign {

// Returns the part of a command line after the first word that ends in .py or
// .sh, also without the number of processes after a .sh script. If there is no
// such word: the part after `python -m MODULE`, or else the whole line. Throws
// Error(kUsage), with program.title, for scripts known to be another program's
// and for names without "train" or with "pretrain" or "quantization".
std::span<const std::string> arguments_of(
    const Program& program,
    std::span<const std::string> line);

} // namespace vitrain::config::foreign
