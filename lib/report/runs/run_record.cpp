#include "report/runs/run_record.h"

#include <algorithm>
#include <chrono>

#include "config/load_recipe.h"
#include "core/check.h"
#include "core/json_values.h"
#include "core/system/files.h"
#include "core/system/lock_file.h"
#include "core/system/missing_path.h"
#include "core/text.h"
#include "core/url.h"
#include "job/run/failure_record.h"
#include "report/runs/run_failure.h"

namespace vitrain::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestText = std::size_t{4} << 20; // bytes

// Returns the text of a file; if it cannot be read, adds a problem and returns
// "".
std::string text_of(const fs::path& file, Run& run) {
  try {
    return read_file(file, kLargestText, ExitCode::kStorage);
  } catch (const Error& error) {
    run.problems.emplace_back(error.what());
    return "";
  }
}

void read_recipe(Run& run) {
  const std::string text = text_of(run.folder.config(), run);
  run.recipe_text = hide_user_info(text);
  if (text.empty()) {
    return;
  }
  try {
    // Older versions recorded user names and passwords of URLs.
    run.recipe = config::from_yaml(
        remove_user_info(text), printable(run.folder.config().native()));
  } catch (const Error& error) { // a recipe of another version
    run.problems.push_back(fmt::format(
        "its recipe cannot be read by this version: {}", error.what()));
  }
}

void read_environment(Run& run) {
  run.environment = Json::object();
  std::error_code error;
  if (!fs::exists(run.folder.environment(), error)) {
    return;
  }
  Json read = Json::parse(
      hide_user_info(text_of(run.folder.environment(), run)),
      nullptr,
      /*exceptions=*/false);
  if (read.is_object()) {
    run.environment = std::move(read);
  }
}

// Returns the holder that the run's lock file names, which may have ended;
// nullopt if there is no such file or it cannot be read.
std::optional<LockHolder> lock_holder(const fs::path& lock) {
  try {
    return Json::parse(read_file(lock, kLargestText, ExitCode::kStorage))
        .get<LockHolder>();
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

// True if a holder that updates the lock file regularly has not done so for so
// long that the file's time proves it, whatever the difference of the hosts'
// clocks.
bool is_silent(const LockHolder& holder, const fs::path& lock) {
  constexpr std::chrono::minutes kLong(10);
  std::error_code error;
  const auto written = fs::last_write_time(lock, error);
  return !holder.time.empty() && !error &&
      fs::file_time_type::clock::now() - written > kLong;
}

bool is_good_end(int code) {
  return code == static_cast<int>(ExitCode::kDone) ||
      code == static_cast<int>(ExitCode::kStopped);
}

// Determines the state from the last process's end record, or from the run's
// lock. Without records, only failure.json or the logs can show the end.
// `unread`: the records could not be read.
void find_state(Run& run, bool unread) {
  // Records older than failure.json belong to an earlier process.
  std::error_code no_failure;
  std::error_code no_records;
  const auto failed = fs::last_write_time(run.folder.failure(), no_failure);
  const auto recorded = fs::last_write_time(run.folder.metrics(), no_records);
  const bool failed_since = !no_failure && !no_records && failed > recorded;
  const auto code = json_number(run.records.done, "exit");
  if (code && is_good_end(static_cast<int>(*code)) && !failed_since) {
    run.state = *code == 0 ? RunStatus::kDone : RunStatus::kStopped;
    return;
  }
  const auto holder = lock_holder(run.folder.lock());
  if (holder && !is_gone(*holder, run.folder.lock()) &&
      !is_silent(*holder, run.folder.lock())) {
    run.state = RunStatus::kRunning;
    run.reason = holder->text();
    return;
  }
  const auto failure = job::read_failure(run.folder);
  run.reason = failure
      ? printable(failure->reason)
      : why_it_failed(
            run.recipe ? job::log_folder(*run.recipe, run.folder)
                       : run.folder.logs());
  const bool unwritten =
      run.recipe && !run.recipe->log.jsonl && run.records.starts == 0;
  constexpr int kSignals = 128; // the exit code after signal n is 128 + n
  if (failure && failure->exit_code > kSignals) {
    run.state = RunStatus::kStopped;
  } else if (run.reason.empty() && (unread || unwritten)) {
    run.state = RunStatus::kNoRecords;
    run.reason = unwritten ? "log.jsonl: false" : "";
  } else {
    run.state = RunStatus::kFailed;
  }
}

// Reads a run's folder. `problem`: why the records could not be read, or "".
Run read_run(
    const fs::path& folder,
    const Records& records,
    const std::string& problem) {
  Run run;
  run.folder = {job::absolute_path(folder).lexically_normal()};
  if (!run.folder.path.has_filename()) { // "runs/x/"
    run.folder.path = run.folder.path.parent_path();
  }
  run.name = run.folder.path.filename().native();
  run.records = records;
  if (const std::string command = json_text(run.records.start, "command");
      has_user_info(command)) {
    run.records.start["command"] = hide_user_info(command);
  }
  if (!problem.empty()) {
    run.problems.push_back(problem);
  }
  read_recipe(run);
  read_environment(run);
  find_state(run, /*unread=*/!problem.empty());
  return run;
}

// True if a folder has the name of a run, and permission to open it is missing.
bool is_closed_run(const fs::path& folder) {
  const fs::path config = job::RunDirectory{folder}.config();
  std::error_code error;
  return !fs::exists(config, error) && error &&
      job::run_of_config(config.native());
}

} // namespace

bool Run::trains() const {
  return !records.start.is_object() ||
      json_text(records.start, "mode") != "eval";
}

bool Run::shows(const MetricInfo& metric) const {
  constexpr std::int64_t kFewest = 6;
  const auto classes = records.started_with("subset")
      ? records.started_with("subset")
      : records.started_with("classes");
  return metric.value != Metric::kTop5 || classes.value_or(kFewest) >= kFewest;
}

const MetricInfo& Run::metric() const {
  const MetricInfo& wanted =
      info_of(recipe ? recipe->checkpoint.metric : Metric::kTop1);
  const bool known =
      records.curve(fmt::format("eval.{}", wanted.name)) != nullptr;
  return known ? wanted : info_of(Metric::kLoss);
}

std::vector<MetricInfo> metrics_of(std::span<const Run> runs) {
  std::vector<MetricInfo> metrics;
  for (const MetricInfo& metric : kMetrics) {
    const bool found = std::ranges::any_of(runs, [&](const Run& run) {
      const Json* last = run.last();
      return last != nullptr && json_number(*last, metric.name);
    });
    const bool shown = std::ranges::any_of(
        runs, [&](const Run& run) { return run.shows(metric); });
    if (shown &&
        (found || (!metric.of_real_labels && !metric.of_label_lists))) {
      metrics.push_back(metric);
    }
  }
  return metrics;
}

const Json* Run::best() const {
  const MetricInfo& by = metric();
  const Json* best = nullptr;
  double value = 0.0;
  for (const Json& record : judged()) {
    const auto here = json_number(record, by.name);
    if (here &&
        (best == nullptr ||
         (by.larger_is_better ? *here > value : *here < value))) {
      best = &record;
      value = *here;
    }
  }
  return best;
}

const Json* Run::last() const {
  return judged().empty() ? nullptr : &judged().back();
}

const std::vector<Json>& Run::judged() const {
  const bool raw = records.ema_evaluations.empty() ||
      (recipe && recipe->checkpoint.weights == config::JudgedWeights::kRaw);
  return raw ? records.evaluations : records.ema_evaluations;
}

config::Timeline Run::timeline() const {
  std::vector<config::EpochSteps> stretches;
  const auto add = [&](std::int64_t first, std::int64_t steps) {
    const bool in_order =
        stretches.empty() ? first == 0 : first > stretches.back().first_epoch;
    if (in_order && steps > 0) {
      stretches.push_back({first, steps});
    }
  };
  const Json listed = records.start.is_object()
      ? records.start.value("epochs_of_steps", Json())
      : Json();
  if (!listed.is_array()) {
    add(0, records.started_with("steps_per_epoch").value_or(0));
  }
  for (const Json& stretch : listed) {
    add(static_cast<std::int64_t>(
            json_number(stretch, "from_epoch").value_or(0.0)) -
            1,
        static_cast<std::int64_t>(json_number(stretch, "steps").value_or(0.0)));
  }
  return config::Timeline(stretches);
}

std::int64_t Run::steps_per_epoch() const {
  const config::Timeline found = timeline();
  return found.empty() || !found.even() ? 0 : found.steps_in(0);
}

std::int64_t Run::total_steps() const {
  return std::max<std::int64_t>(
      0, records.started_with("total_steps").value_or(0));
}

std::int64_t Run::epoch_of(std::int64_t step) const {
  const config::Timeline found = timeline();
  return found.empty()
      ? 0
      : found.epoch_of(std::max<std::int64_t>(step, 1) - 1) + 1;
}

double Run::images_per_second() const {
  return records.sample_seconds > 0.0 ? records.samples / records.sample_seconds
                                      : 0.0;
}

fs::path report_file(const job::RunDirectory& folder) {
  return folder.path / "report.html";
}

bool is_run(const fs::path& folder) {
  std::error_code error;
  const job::RunDirectory run{folder};
  const bool made = fs::is_regular_file(run.config(), error) &&
      (fs::exists(run.metrics(), error) ||
       fs::exists(run.environment(), error) ||
       fs::is_directory(run.logs(), error));
  return made || is_closed_run(folder);
}

std::vector<fs::path> runs_in(const fs::path& folder) {
  std::vector<fs::path> runs;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    if (is_run(it->path())) {
      runs.push_back(it->path());
    }
  }
  VITRAIN_CHECK(
      !error,
      ExitCode::kUsage,
      "{}: cannot be listed: {}",
      printable(folder.native()),
      path_error_text(folder, error.value()));
  std::ranges::sort(runs);
  return runs;
}

fs::path run_folder(const fs::path& path) {
  std::error_code error;
  fs::path folder = fs::canonical(path, error);
  VITRAIN_CHECK(
      !error,
      ExitCode::kUsage,
      "{}: {}",
      printable(path.native()),
      path_error_text(path, error.value()));
  if (folder == job::RunDirectory{folder.parent_path()}.config()) {
    folder = folder.parent_path();
  }
  VITRAIN_CHECK(
      is_run(folder),
      ExitCode::kUsage,
      "{}: is no run folder: there is no config.yaml with metrics.jsonl, "
      "environment.json or log/ beside it",
      printable(path.native()));
  return folder;
}

Run open_run(const fs::path& folder, const Records& records) {
  return read_run(folder, records, /*problem=*/"");
}

Run open_run(const fs::path& folder) {
  RecordReader reader(job::RunDirectory{folder}.metrics());
  std::string problem;
  try {
    reader.update();
  } catch (const Error& error) { // other runs are still shown
    problem = error.what();
  }
  return read_run(folder, reader.records(), problem);
}

} // namespace vitrain::report
