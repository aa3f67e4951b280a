#pragma once

#include <span>

#include "core/text/json.h"
#include "report/runs/run_record.h"

namespace vitrain::report {

// The data that page/report.js draws: {"charts": [{"title", "unit", "log",
// "exact", "curves": [{"key", "label"}]}], "runs": [{"name", "steps_per_epoch",
// "curves": {"key": [[steps], [values]]}}], "running": bool}. Curves have no
// more points than a screen shows, fewer where there are many runs; charts that
// no run has points for are left out.
Json chart_data(std::span<const Run> runs);

} // namespace vitrain::report
