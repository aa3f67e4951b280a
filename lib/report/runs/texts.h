#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "options/metric.h"
#include "report/runs/run_record.h"

// Numbers of runs, for people.
namespace vitrain::report {

// "56.25 %", "1.2345".
std::string metric_value(const MetricInfo& metric, double value);

// Returns "1,234"; one decimal below 10, "" for 0.
std::string rate_text(double images_per_second);

// Returns "top1 97.31 % at epoch 3 (step 468)"; "" for null.
std::string evaluation_text(const Run& run, const Json* evaluation);

// "3/10" with "/" between; "" where nothing was trained.
std::string epochs_text(const Run& run, std::string_view between);

} // namespace vitrain::report
