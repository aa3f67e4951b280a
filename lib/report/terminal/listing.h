#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/command_line/arguments.h"
#include "core/text/json.h"
#include "logging/terminal/terminal_style.h"
#include "report/runs/run_record.h"

namespace vitrain::report {

// One run in a list of runs.
struct ListedRun {
  Run run; // without its curves
  const MetricInfo* metric = nullptr;
  std::optional<Json> best; // evaluation
  std::optional<Json> last;
  // Keys and facts in which runs of the list differ, with this one's value:
  // those in which it is not like most of them.
  std::vector<std::pair<std::string, std::string>> settings;

  std::optional<double> result() const; // of the best, by `metric`
  std::optional<double> loss() const; // of the last
  std::string started() const; // "2026-01-31T12:00:00+0000", or ""
};

// The runs in a folder in the order of `sort`, or the run that it is. Throws
// Error(kUsage) for a folder that cannot be listed.
std::vector<ListedRun> list_runs(
    const std::filesystem::path& folder,
    config::RunOrder sort);

// A table for people, a line for each run. `fits`: within style.columns, as
// terminals need it: columns that matter least are left out, and names and
// notes end with an ellipsis if they have no room.
std::string runs_table(
    const std::vector<ListedRun>& runs,
    const logging::TerminalStyle& style,
    bool fits);

// An array of objects, one for each run.
Json runs_json(const std::vector<ListedRun>& runs);

} // namespace vitrain::report
