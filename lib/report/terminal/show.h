#pragma once

#include <string>

#include "logging/terminal_style.h"
#include "report/runs/run_record.h"

namespace vitrain::report {

// Returns a run's state, results and most important curves as text, for a
// terminal or a file.
std::string show(const Run& run, const logging::TerminalStyle& style);

} // namespace vitrain::report
