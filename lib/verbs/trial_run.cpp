#include "verbs/trial_run.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "config/load/writer.h"
#include "core/check.h"
#include "core/system/files.h"
#include "core/system/system.h"
#include "core/text.h"
#include "job/run/run_directory.h"
#include "launch/processes/environment.h"
#include "launch/processes/exit_status.h"
#include "launch/processes/signal_queue.h"
#include "launch/processes/signals.h"
#include "launch/processes/spawn.h"
#include "report/runs/run_record.h"

namespace vitrain::verbs {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "trial";

// Waits for the process and returns its status, as waitpid() does. Ends it by
// SIGTERM after a stop signal, by SIGKILL after a second one, and throws Error
// with the exit code 128 + n, where n is the first signal.
int wait_for(pid_t pid) {
  launch::SignalQueue signals;
  int stopped = 0; // the first signal
  while (true) {
    int status = 0;
    if (::waitpid(pid, &status, WNOHANG) == pid) {
      VITRAIN_CHECK(
          stopped == 0,
          static_cast<ExitCode>(128 + stopped),
          "the trial is stopped by {}",
          launch::signal_name(stopped));
      return status;
    }
    const std::vector<int> numbers = signals.wait(/*seconds=*/1.0);
    if (!numbers.empty()) {
      ::kill(pid, stopped != 0 ? SIGKILL : SIGTERM);
      stopped = stopped != 0 ? stopped : numbers.front();
    }
  }
}

// Runs vitrain with these arguments, and appends its output to `log`. Returns
// the exit code, 128 + n if signal n ended it.
int run_vitrain(std::vector<std::string> words, const fs::path& log) {
  const Fd output(
      ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  VITRAIN_CHECK(
      output.get() >= 0,
      ExitCode::kStorage,
      "cannot write {}: {}",
      printable(log.native()),
      error_text(errno));
  const pid_t pid = launch::spawn(
      {.arguments = std::move(words),
       .environment = launch::current_environment(),
       .output = output.get(),
       .inherited = {}});
  const int status = wait_for(pid);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

double median(std::vector<double> values) {
  if (values.empty()) {
    return 0.0;
  }
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

std::int64_t size_of(const fs::path& folder) {
  std::int64_t bytes = 0;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    if (entry.is_regular_file(error)) {
      bytes += static_cast<std::int64_t>(entry.file_size(error));
    }
  }
  return bytes;
}

// Adds the values of a record to `measured` and `steps`, which a start record
// resets: they describe the last process.
void take_record(
    const Json& record,
    Measured& measured,
    std::vector<double>& steps) {
  const std::string kind = record.value("kind", "");
  if (kind == "start") {
    const std::int64_t batch = record.value("global_batch", std::int64_t{0});
    measured = {.global_batch = batch};
    if (record.contains("resumed_step")) {
      measured.resumed_step = record["resumed_step"].get<std::int64_t>();
    }
    steps.clear();
  } else if (kind == "train") {
    // The first step of a process includes its warm-up.
    if (measured.first_step == 0.0) {
      measured.first_step = record.value("start_end_seconds", 0.0);
    } else {
      steps.push_back(record.value("step_seconds", 0.0));
    }
    measured.step = record.value("step", std::int64_t{0});
  } else if (kind == "eval") {
    measured.evaluated = record.value("count", std::int64_t{0});
    measured.eval_seconds = record.value("seconds", 0.0);
  } else if (kind == "checkpoint") {
    measured.save_seconds = record.value("seconds", 0.0);
    measured.checkpoint_bytes = size_of(record.value("path", ""));
  } else if (kind == "done") {
    measured.memory = record.value("memory_bytes", std::int64_t{0});
  }
}

Measured read_records(const job::RunDirectory& run) {
  Measured measured;
  std::vector<double> steps;
  for (const Json& record : records_of(run)) {
    take_record(record, measured, steps);
  }
  measured.step_seconds = median(std::move(steps));
  return measured;
}

} // namespace

std::vector<Json> records_of(const job::RunDirectory& run) {
  std::vector<Json> records;
  for (const std::string& line : split(content_of(run.metrics()), '\n')) {
    Json record = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (record.is_object()) {
      records.push_back(std::move(record));
    }
  }
  return records;
}

MadeFolders::MadeFolders(const fs::path& folder) {
  std::error_code error;
  for (fs::path missing = job::absolute_path(folder).lexically_normal();
       !fs::exists(missing, error) && !error;
       missing = missing.parent_path()) {
    made_.push_back(missing);
  }
  make_folders(folder);
}

MadeFolders::~MadeFolders() {
  for (const fs::path& folder : made_) {
    std::error_code ignored; // folders that are not empty stay
    fs::remove(folder, ignored);
  }
}

TrialFolder::TrialFolder(const fs::path& output) : outer_(output) {
  std::string path = job::absolute_path(output / ".trial-XXXXXX").native();
  VITRAIN_CHECK(
      ::mkdtemp(path.data()) != nullptr,
      ExitCode::kStorage,
      "cannot make a folder in {}: {}",
      printable(output.native()),
      error_text(errno));
  path_ = path;
}

TrialFolder::~TrialFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

config::Recipe trial_recipe(
    config::Recipe recipe,
    const TrialFolder& folder,
    std::int64_t steps,
    std::int64_t eval_batches) {
  const config::Duration end{
      static_cast<double>(steps), config::Duration::Unit::kSteps};
  const config::Duration never{1.0, config::Duration::Unit::kFraction};
  recipe.run.name = kName;
  recipe.run.output = (folder.path() / "runs").native();
  recipe.run.stop_after = end;
  recipe.run.max_time.reset();
  recipe.run.patience.reset();
  recipe.run.max_restarts = 0;
  recipe.eval.every = eval_batches > 0 ? end : never;
  recipe.eval.batches =
      eval_batches > 0 ? std::optional(eval_batches) : std::nullopt;
  recipe.checkpoint.every = end;
  recipe.log = {};
  recipe.log.every = 1;
  recipe.log.tensorboard = false;
  recipe.log.csv = false;
  recipe.log.samples = false;
  recipe.log.progress = config::ProgressKind::kOff;
  return recipe;
}

Ended run_recipe(
    const config::Recipe& recipe,
    const TrialFolder& folder,
    ExitCode expected,
    bool resumes) {
  const fs::path file = folder.path() / "recipe.yaml";
  const fs::path log = folder.path() / "output.txt";
  write_file_atomically(file, config::to_yaml(recipe));
  std::vector<std::string> words{
      "vitrain", "train", "-cfg", file.native(), "-launcher", "none"};
  if (resumes) {
    words.insert(words.end(), {"-resume", "auto"});
  }
  const int number = run_vitrain(std::move(words), log);
  const auto code = static_cast<ExitCode>(number);
  VITRAIN_CHECK(
      code == ExitCode::kDone || code == ExitCode::kStopped || code == expected,
      code,
      "the trial ended with exit code {}:\n{}",
      number,
      launch::last_lines(log, /*start=*/0, /*lines=*/12));
  const std::vector<fs::path> runs = report::runs_in(folder.path() / "runs");
  return {code, {runs.empty() ? fs::path() : runs.back()}};
}

Measured run_trial(
    const config::Recipe& recipe,
    const TrialFolder& folder,
    bool resumes) {
  const Ended ended =
      run_recipe(recipe, folder, ExitCode::kOutOfMemory, resumes);
  Measured measured = ended.code == ExitCode::kOutOfMemory
      ? Measured{}
      : read_records(ended.run);
  measured.ending = ended.code;
  return measured;
}

} // namespace vitrain::verbs
