#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/rules/timeline.h"
#include "config/sections/recipe.h"
#include "core/text/enum_names.h"
#include "core/text/json.h"
#include "job/run/run_directory.h"
#include "options/metric.h"
#include "report/runs/records.h"

namespace vitrain::report {

enum class RunState {
  kRunning,
  kDone,
  kStopped,
  kFailed,
  kNoRecords, // unknown: no records (log.jsonl), or unreadable ones
};
constexpr auto names_of(RunState) {
  using enum RunState;
  return enum_names<RunState>(
      {{kRunning, "running"},
       {kDone, "done"},
       {kStopped, "stopped"},
       {kFailed, "failed"},
       {kNoRecords, "no records"}});
}

// A run, read from its folder. Missing and unreadable parts are empty;
// `problems` describes them.
struct Run {
  job::RunDirectory folder; // absolute
  std::string name; // of the folder
  Records records;
  std::optional<config::Recipe> recipe;
  std::string recipe_text; // config.yaml
  Json environment; // an object
  RunState state = RunState::kFailed;
  std::string reason; // reason of a failure, or the place where it runs
  std::vector<std::string> problems; // printable sentences

  bool trains() const; // else it has only evaluated
  // Whether people are shown it: of fewer than six classes, top-5 is right
  // always.
  bool shows(const MetricInfo& metric) const;
  // By which the best evaluation is chosen.
  const MetricInfo& metric() const;
  // Null without an evaluation.
  const Json* best() const;
  const Json* last() const;
  // Evaluations used for checkpoint.metric: of the averaged weights if there
  // are any, unless checkpoint.weights is `raw`.
  const std::vector<Json>& judged() const;
  // 0 if unknown, or if epochs differ.
  std::int64_t steps_per_epoch() const;
  config::Timeline timeline() const; // empty if unknown
  std::int64_t total_steps() const;
  std::int64_t epoch_of(std::int64_t step) const;
  // Training speed over the whole run; 0 if unknown.
  double images_per_second() const;
};

// The metrics of runs that people are shown, those that few data have only if
// one run has them.
std::vector<MetricInfo> metrics_of(std::span<const Run> runs);

// Returns the path of a run's page.
std::filesystem::path report_file(const job::RunDirectory& folder);

// Returns true if a folder is a run: it has a config.yaml, and records or
// environment.json; or, if it may not be opened, the name of a run.
bool is_run(const std::filesystem::path& folder);

// Returns the runs in a folder, sorted by name.
std::vector<std::filesystem::path> runs_in(const std::filesystem::path& folder);

// Returns the run folder of a path: the path itself, or the folder of a
// config.yaml. Throws Error(kUsage) if it is no run.
std::filesystem::path run_folder(const std::filesystem::path& path);

// Reads a run as far as possible.
Run open_run(const std::filesystem::path& folder);
// Uses records that were read before.
Run open_run(const std::filesystem::path& folder, const Records& records);

} // namespace vitrain::report
