#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "report/runs/run_record.h"

namespace vitrain::report {

// A key of the recipe, or a fact about how a run was made ("workers"), and what
// each of several runs has there; "" where that is not known.
struct SettingRow {
  std::string name;
  std::vector<std::string> values; // one for each run
};

// What differs between runs: keys of the recipe, then facts. Not counted: where
// files lie and how much is logged (run.name, run.output, log.*).
std::vector<SettingRow> different_settings(std::span<const Run> runs);

// What a run's recipe sets otherwise than the defaults: two values, its own and
// the default.
std::vector<SettingRow> settings_of(const Run& run);

} // namespace vitrain::report
