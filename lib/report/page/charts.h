#pragma once

#include <span>

#include "core/json.h"
#include "report/runs/run_record.h"

namespace vitrain::report {

// Returns the data that page/report.js draws: {"charts": [{"title", "unit",
// "log", "exact", "curves": [{"key", "label"}]}], "runs": [{"name",
// "steps_per_epoch", "curves": {"key": [[steps], [values]]}}], "running":
// bool}. "unit": "%" for values in percent, "x%" for fractions to show in
// percent; "log": a logarithmic axis is offered; "exact": no smoothing is;
// "running": at least one run is; values have six digits, null if not finite.
// Curves have at most 1000 points, fewer (down to 100) if there are more than
// 20 runs. Left out are charts without points, the waiting time of
// communication if it is always 0, and top-5 with fewer than six classes.
Json chart_data(std::span<const Run> runs);

} // namespace vitrain::report
