#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/command_line/arguments.h"
#include "core/json.h"
#include "logging/terminal_style.h"
#include "report/runs/run_record.h"

namespace vitrain::report {

// One run in a list of runs.
struct ListedRun {
  Run run; // without curves and evaluations
  const MetricInfo* metric = nullptr; // Run::metric(); never null
  std::optional<Json> best; // Run::best() and last()
  std::optional<Json> last;
  // Settings in which the runs of the list differ, with this run's values,
  // unless more than half of the runs have the same value.
  std::vector<std::pair<std::string, std::string>> settings;

  std::optional<double> result() const; // of `best`, by `metric`
  std::optional<double> loss() const; // of `last`
  std::string started() const; // "2026-01-31T12:00:00+0000", or ""
};

// Returns the runs in a folder, sorted by `sort`, or only the folder itself if
// it is a run. Throws Error(kUsage) for a folder that cannot be listed.
std::vector<ListedRun> list_runs(
    const std::filesystem::path& folder,
    config::RunOrder sort);

// Returns a table with a line per run. `fits`: true limits its width to
// style.columns, for terminals, by leaving out less important columns and
// shortening names and notes with an ellipsis; false: any width, for files.
std::string runs_table(
    const std::vector<ListedRun>& runs,
    const logging::TerminalStyle& style,
    bool fits);

// Returns an array with an object per run.
Json runs_json(const std::vector<ListedRun>& runs);

} // namespace vitrain::report
