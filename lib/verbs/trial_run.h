#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/sections/recipe.h"
#include "core/error.h"
#include "core/json.h"
#include "job/run/run_directory.h"

namespace vitrain::verbs {

// Measurements of a short run, from its records.
struct Measured {
  ExitCode ending = ExitCode::kDone; // kDone, kStopped or kOutOfMemory
  std::int64_t step = 0; // last step
  std::optional<std::int64_t> resumed_step; // step from which it resumed
  // Seconds from the start of vitrain to the end of the first step.
  double first_step = 0.0;
  double step_seconds = 0.0; // median of all steps but the first; 0: none
  std::int64_t global_batch = 0; // samples in a step
  std::int64_t memory = 0; // peak bytes of rank 0; 0: unknown
  std::int64_t evaluated = 0; // samples of the last evaluation; 0: none
  double eval_seconds = 0.0;
  double save_seconds = 0.0; // of the last checkpoint; 0: none
  std::int64_t checkpoint_bytes = 0;
};

// Returns the records of a run, in the order in which they were written; empty
// if its metrics.jsonl cannot be read.
std::vector<Json> records_of(const job::RunDirectory& run);

// Creates a folder and its parents. The destructor removes the created ones
// that are empty.
class MadeFolders {
 public:
  // Throws Error(kStorage).
  explicit MadeFolders(const std::filesystem::path& folder);
  ~MadeFolders();
  MadeFolders(const MadeFolders&) = delete;
  MadeFolders& operator=(const MadeFolders&) = delete;

 private:
  std::vector<std::filesystem::path> made_; // the innermost first
};

// Folder in which trials run. It is created inside run.output, so that a trial
// meets the problems that the run would meet there. The destructor removes it
// with its content, and the folders that were created for it.
class TrialFolder {
 public:
  // Throws Error(kStorage).
  explicit TrialFolder(const std::filesystem::path& output);
  ~TrialFolder();
  TrialFolder(const TrialFolder&) = delete;
  TrialFolder& operator=(const TrialFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  MadeFolders outer_;
  std::filesystem::path path_;
};

// Returns the recipe of a trial: it runs `steps` steps of the recipe's whole
// schedule, saves, and logs to its folder only. After the last step it
// evaluates `eval_batches` batches on each device; 0: no evaluation, unless the
// schedule ends with these steps.
config::Recipe trial_recipe(
    config::Recipe recipe,
    const TrialFolder& folder,
    std::int64_t steps,
    std::int64_t eval_batches);

// Exit code and folder of a run; the path is empty if it made none.
struct Ended {
  ExitCode code = ExitCode::kDone;
  job::RunDirectory run;
};

// Trains a recipe of trial_recipe() in a separate process, or resumes the run
// in the folder. Throws Error with the end of its output if it ended with
// another code than kDone, kStopped and `expected`, and Error with the exit
// code 128 + n after signal n.
Ended run_recipe(
    const config::Recipe& recipe,
    const TrialFolder& folder,
    ExitCode expected,
    bool resumes = false);

// Same as run_recipe(), but returns the measurements from the records. Running
// out of memory is an expected end, after which only `ending` is set.
Measured run_trial(
    const config::Recipe& recipe,
    const TrialFolder& folder,
    bool resumes = false);

} // namespace vitrain::verbs
