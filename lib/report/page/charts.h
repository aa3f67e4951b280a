#pragma once

#include <span>

#include "core/json.h"
#include "report/runs/run_record.h"

namespace vitrain::report {

// Returns the data that page/report.js draws: {"charts": [{"title", "unit",
// "log", "exact", "curves": [{"key", "label"}]}], "runs": [{"name",
// "steps_per_epoch", "curves": {"key": [[steps], [values]]}}], "running":
// bool}. Curves are thinned to what a screen can show, more if there are many
// runs. Charts without points are left out.
Json chart_data(std::span<const Run> runs);

} // namespace vitrain::report
