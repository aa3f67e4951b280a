#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "options/metric.h"
#include "report/runs/run_record.h"

// Formatting of results for users.
namespace vitrain::report {

// Returns "56.25 %" (`value` in percent) for metrics of classes, else "1.2345";
// "nan" for NaN.
std::string metric_value(const MetricInfo& metric, double value);

// Returns "1,234"; one decimal below 10, "" for 0 and for numbers that make no
// sense: negative, NaN, 1e15 and more.
std::string rate_text(double images_per_second);

// Returns "top1 97.31 % at epoch 3 (step 468)", by Run::metric(); without the
// position if the steps per epoch are unknown; "" for null.
std::string evaluation_text(const Run& run, const Json* evaluation);

// Returns "3/10" (epoch of the last step, 0 before the first; epochs), with
// `between` in place of "/"; "" if the steps per epoch are unknown, as for runs
// that only evaluate.
std::string epochs_text(const Run& run, std::string_view between);

} // namespace vitrain::report
