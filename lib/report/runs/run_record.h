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
  kNoRecords, // nobody knows: it wrote none (log.jsonl), or they are unreadable
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

// A run as its folder tells it. What is not there, or cannot be read, is empty,
// and `problems` says so.
struct Run {
  job::RunDirectory folder; // absolute
  std::string name; // of the folder
  Records records;
  std::optional<config::Recipe> recipe;
  std::string recipe_text; // config.yaml
  Json environment; // an object
  RunState state = RunState::kFailed;
  std::string reason; // of a failure, or where it runs
  std::vector<std::string> problems; // printable sentences

  bool trains() const; // else it has only evaluated
  // Whether people are shown it: of fewer than six classes, top-5 is right
  // always.
  bool shows(const MetricInfo& metric) const;
  // By which the best evaluation is chosen.
  const MetricInfo& metric() const;
  // Null where there is no evaluation.
  const Json* best() const;
  const Json* last() const;
  // The evaluations that checkpoint.metric is of: those of the average where
  // there is one, unless checkpoint.weights is `raw`.
  const std::vector<Json>& judged() const;
  // 0 where they are not known, or differ.
  std::int64_t steps_per_epoch() const;
  config::Timeline timeline() const; // empty: not known
  std::int64_t total_steps() const;
  std::int64_t epoch_of(std::int64_t step) const;
  // Of training, over the whole run; 0: not known.
  double images_per_second() const;
};

// The metrics of runs that people are shown, those that few data have only if
// one run has them.
std::vector<MetricInfo> metrics_of(std::span<const Run> runs);

// Where a run keeps its page.
std::filesystem::path report_file(const job::RunDirectory& folder);

// Whether a folder is one that a run has made: with a config.yaml, and records
// or a description of the machine beside it; or, where it may not be looked
// into, with the name of one.
bool is_run(const std::filesystem::path& folder);

// The runs in a folder, by name.
std::vector<std::filesystem::path> runs_in(const std::filesystem::path& folder);

// The folder that a path means: itself, or that of a config.yaml. Throws
// Error(kUsage) for one that is no run's.
std::filesystem::path run_folder(const std::filesystem::path& path);

// Reads a run, as far as it can be read.
Run open_run(const std::filesystem::path& folder);
// The same with records that were read before.
Run open_run(const std::filesystem::path& folder, const Records& records);

} // namespace vitrain::report
