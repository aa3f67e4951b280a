#pragma once

#include <string>

#include "logging/terminal/terminal_style.h"
#include "report/runs/run_record.h"

namespace vitrain::report {

// What a run is and reached, and its curves, for a terminal or a file.
std::string show(const Run& run, const logging::TerminalStyle& style);

} // namespace vitrain::report
