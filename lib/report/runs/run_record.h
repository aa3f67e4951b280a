#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/rules/timeline.h"
#include "config/sections/recipe.h"
#include "core/enum_names.h"
#include "core/json.h"
#include "job/run/run_directory.h"
#include "options/metric.h"
#include "report/runs/records.h"

namespace vitrain::report {

enum class RunStatus {
  kRunning,
  kDone,
  kStopped,
  kFailed,
  kNoRecords, // unknown: no records (log.jsonl is off), or unreadable ones
};
constexpr auto names_of(RunStatus) {
  using enum RunStatus;
  return enum_names<RunStatus>(
      {{kRunning, "running"},
       {kDone, "done"},
       {kStopped, "stopped"},
       {kFailed, "failed"},
       {kNoRecords, "no records"}});
}

// A run, read from its folder. Missing and unreadable parts are empty, and
// `problems` describes them.
struct Run {
  job::RunDirectory folder; // absolute
  std::string name; // name of the folder
  Records records;
  std::optional<config::Recipe> recipe; // nullopt: missing or unreadable
  std::string recipe_text; // config.yaml, with *** for passwords in URLs
  Json environment; // environment.json, an object
  RunStatus state = RunStatus::kFailed;
  // Why the run failed, was stopped by a signal or has no records, or the
  // process and host that run it; "": unknown or none.
  std::string reason;
  std::vector<std::string> problems; // printable sentences

  bool trains() const; // false: the run only evaluated; true if unknown
  // False for top-5 if the run, or its eval.subset, is known to have fewer than
  // six classes (top-5 is then always right). Otherwise true.
  bool shows(const MetricInfo& metric) const;
  // Metric that determines best(): checkpoint.metric (top1 without a recipe),
  // or the loss if no evaluation of the trained weights has that metric.
  const MetricInfo& metric() const;
  // Best by metric() and last record of judged(); null if there is none, for
  // best() also if no record has the metric.
  const Json* best() const;
  const Json* last() const;
  // Evaluations used for checkpoint.metric: of the averaged weights if there
  // are any, unless checkpoint.weights is `raw`.
  const std::vector<Json>& judged() const;
  // 0 if unknown, or if epochs have different numbers of steps.
  std::int64_t steps_per_epoch() const;
  config::Timeline timeline() const; // empty if unknown
  std::int64_t total_steps() const; // 0 if unknown
  // Returns the epoch, counted from 1, of a step (number of completed steps;
  // step 0 is in epoch 1); 0 if unknown.
  std::int64_t epoch_of(std::int64_t step) const;
  // Mean training speed over the whole run; 0 if unknown.
  double images_per_second() const;
};

// Returns the metrics to show for these runs: those that at least one run shows
// (Run::shows()); of these, metrics of real or multiple labels only if
// Run::last() of at least one run has them.
std::vector<MetricInfo> metrics_of(std::span<const Run> runs);

// Returns the path of a run's page.
std::filesystem::path report_file(const job::RunDirectory& folder);

// True if a folder is a run: it has config.yaml, and metrics.jsonl,
// environment.json or log/; or, if permission to open it is missing, a run's
// name.
bool is_run(const std::filesystem::path& folder);

// Returns the runs in a folder, sorted by name. Throws Error(kUsage) if the
// folder cannot be listed.
std::vector<std::filesystem::path> runs_in(const std::filesystem::path& folder);

// Returns the run folder of a path, which is the folder or its config.yaml, as
// a canonical path. Throws Error(kUsage) if it is not a run.
std::filesystem::path run_folder(const std::filesystem::path& path);

// Reads a run as far as possible; does not throw for unreadable files.
Run open_run(const std::filesystem::path& folder);
// As open_run(folder), but uses `records` instead of reading metrics.jsonl.
Run open_run(const std::filesystem::path& folder, const Records& records);

} // namespace vitrain::report
