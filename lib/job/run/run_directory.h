#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "config/sections/recipe.h"

namespace vitrain::job {

// Folder of a run, `<output>/<name>-<YYYYmmdd-HHMMSS>/`, and the paths of its
// files.
struct RunDirectory {
  std::filesystem::path path; // absolute

  std::filesystem::path config() const { return path / "config.yaml"; }
  std::filesystem::path environment() const {
    return path / "environment.json";
  }
  // Reason for the last failure, until the next start
  // (job/run/failure_record.h).
  std::filesystem::path failure() const { return path / "failure.json"; }
  // Samples and norms of a step (from 1) that ended the run with exit code 5.
  std::filesystem::path bad_step(std::int64_t step) const {
    return path / ("bad-step-" + std::to_string(step) + ".json");
  }
  std::filesystem::path metrics() const { return path / "metrics.jsonl"; }
  std::filesystem::path summary() const { return path / "summary.csv"; }
  std::filesystem::path bad_samples() const {
    return path / "bad_samples.jsonl";
  }
  // Names of the samples held out by data.split, one per line.
  std::filesystem::path held_out() const { return path / "held_out.txt"; }
  std::filesystem::path trace(int rank) const; // <run>/trace/rankN.json
  // Folder for the batches that log.batches selects.
  std::filesystem::path batches() const { return path / "batches"; }
  // A file that users create to stop the run. Removed when the run has stopped,
  // and by the next process that locks the run.
  std::filesystem::path stop() const { return path / "stop"; }
  // Lock file held while the run is active (core/system/lock_file.h).
  std::filesystem::path lock() const { return path / "run.lock"; }
  std::filesystem::path checkpoints() const { return path / "checkpoints"; }
  // Unused if log.folder is set (log_folder()).
  std::filesystem::path logs() const { return path / "log"; }
};

// Returns the absolute path. Throws Error(kStorage) for a relative path if the
// working directory has been removed.
std::filesystem::path absolute_path(const std::filesystem::path& path);

// Creates a new run folder with its log folder and writes config.yaml. Appends
// a number to the name if two runs start in the same second. Throws
// Error(kStorage) if it cannot be created.
RunDirectory create_run_directory(
    const config::Recipe& recipe,
    const std::string& name);

// Throws Error(kStorage) unless files can be created, synced, renamed and
// deleted in a run folder and, if it is there, its checkpoints/.
void check_writable(const RunDirectory& run);

// Returns the folder of the files workerlog.N: log.folder, or log/ in the run
// folder. Absolute.
std::filesystem::path log_folder(
    const config::Recipe& recipe,
    const RunDirectory& run);

// Returns the run folder whose config.yaml is `config_path`; nullopt for any
// other file. A run folder is recognised by its time stamp or its
// environment.json.
std::optional<std::filesystem::path> run_of_config(
    const std::string& config_path);

// Removes the folder of an evaluation if it has nothing to keep: it succeeded
// without log.jsonl, log.csv and log.tensorboard, or failed with kUsage, kData
// or kWeights, whose message explains the failure. Returns true if it was
// removed.
bool remove_unkept(
    const config::Recipe& recipe,
    const RunDirectory& run,
    int exit_code);

// Returns the name of a run: run.name, or, if that is `auto`, the config file's
// stem (for the config.yaml of a run, that run's name); without a config file,
// the model's name.
std::string run_name(
    const config::Recipe& recipe,
    const std::string& config_path);

} // namespace vitrain::job
