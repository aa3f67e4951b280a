#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/sections/recipe.h"
#include "core/error.h"
#include "core/text/json.h"
#include "job/run/run_directory.h"

namespace vitrain::trial {

// What a short run has told, by the records of its folder.
struct Measured {
  ExitCode ending = ExitCode::kDone; // kDone, kStopped or kOutOfMemory
  std::int64_t step = 0; // the last one
  std::optional<std::int64_t> resumed_step; // after which it went on
  double first_step = 0.0; // seconds from the start of vitrain to its end
  double step_seconds = 0.0; // median of all steps but the first
  std::int64_t global_batch = 0; // samples in a step
  std::int64_t memory = 0; // bytes of rank 0 at its largest; 0: not known
  std::int64_t evaluated = 0; // samples of the last evaluation; 0: none
  double eval_seconds = 0.0;
  double save_seconds = 0.0; // of the last checkpoint
  std::int64_t checkpoint_bytes = 0;
};

// The records of a run, in the order in which they were written.
std::vector<Json> records_of(const job::RunDirectory& run);

// Makes a folder, and those that it lies in. The ones that were not there are
// removed with the object, unless something is in them by then.
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

// A folder in which trials run, made inside of run.output, so that a trial
// finds out what would go wrong there; removed with the object, with all that
// is in it, and with the folders that were made for it.
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

// The recipe of a trial: it makes `steps` steps and saves, with all of what the
// recipe says about the length of the run, and tells nobody but its folder.
// After the last step it evaluates `eval_batches` batches on each device; 0: it
// does not evaluate.
config::Recipe trial_recipe(
    config::Recipe recipe,
    const TrialFolder& folder,
    std::int64_t steps,
    std::int64_t eval_batches);

// How a run ended, and where it is.
struct Ended {
  ExitCode code = ExitCode::kDone;
  job::RunDirectory run;
};

// Trains a recipe that trial_recipe() made, in a process of its own, as a run
// does, or goes on with the run that it has begun in the folder. Throws Error
// with the end of what it printed where it ended neither well nor in a way that
// is `expected`, and Error(kStopped) where a signal came.
Ended run_recipe(
    const config::Recipe& recipe,
    const TrialFolder& folder,
    ExitCode expected,
    bool resumes = false);

// The same, and what its records say. Out of memory is expected.
Measured run_trial(
    const config::Recipe& recipe,
    const TrialFolder& folder,
    bool resumes = false);

} // namespace vitrain::trial
