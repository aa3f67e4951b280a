#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "report/runs/run_record.h"

namespace vitrain::report {

// A key of the recipe, or a fact about a run ("workers"), with its values in
// several runs; "" if unknown.
struct SettingRow {
  std::string name;
  std::vector<std::string> values; // one per run
};

// Returns the differences between runs: keys of the recipe except run.name,
// run.output and log.*, then facts. Runs without recipe have values "".
std::vector<SettingRow> different_settings(std::span<const Run> runs);

// Returns the non-default keys of a run's recipe, with two values: the run's
// and the default. Empty if the recipe is missing or unreadable.
std::vector<SettingRow> settings_of(const Run& run);

} // namespace vitrain::report
