#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "config/sections/recipe.h"

namespace vitrain::job {

// The folder of a run, `<output>/<name>-<YYYYmmdd-HHMMSS>/`, with all its
// files.
struct RunDirectory {
  std::filesystem::path path; // absolute

  std::filesystem::path config() const { return path / "config.yaml"; }
  std::filesystem::path environment() const {
    return path / "environment.json";
  }
  // How the run failed, until it starts again (job/run/run_failure.h).
  std::filesystem::path failure() const { return path / "failure.json"; }
  std::filesystem::path metrics() const { return path / "metrics.jsonl"; }
  std::filesystem::path summary() const { return path / "summary.csv"; }
  std::filesystem::path bad_samples() const {
    return path / "bad_samples.jsonl";
  }
  // The samples of data.split, one on each line.
  std::filesystem::path held_out() const { return path / "held_out.txt"; }
  std::filesystem::path trace(int rank) const; // trace/rankN.json
  std::filesystem::path batches() const { return path / "batches"; }
  // Lock file held while the run is active (core/files/lock_file.h).
  std::filesystem::path lock() const { return path / "run.lock"; }
  std::filesystem::path checkpoints() const { return path / "checkpoints"; }
  std::filesystem::path logs() const { return path / "log"; }
  std::filesystem::path worker_log(int rank) const;
};

// Returns the absolute path. Throws Error(kStorage) for a relative path if the
// working directory has been removed.
std::filesystem::path absolute_path(const std::filesystem::path& path);

// Makes a new run folder with its log folder and writes config.yaml; a number
// is appended to the name when two runs start within a second. Throws
// Error(kStorage) before anything else has been done when it cannot be written.
RunDirectory create_run_directory(
    const config::Recipe& recipe,
    const std::string& name);

// The folder of workerlog.N: log.folder, or log/ in the run folder. Absolute.
std::filesystem::path log_folder(
    const config::Recipe& recipe,
    const RunDirectory& run);

// The run folder that a config file is the config.yaml of; none for any other
// file.
std::optional<std::filesystem::path> run_of_config(
    const std::string& config_path);

// Removes the folder of an evaluation in which nothing is kept: no records were
// asked for, or it failed before it had any and its message says why. Whether
// it did.
bool remove_unkept(
    const config::Recipe& recipe,
    const RunDirectory& run,
    int exit_code);

// Returns the name of a run: run.name, or for `auto` the config file's stem,
// or, if that is a run's config.yaml, that run's name.
std::string run_name(
    const config::Recipe& recipe,
    const std::string& config_path);

} // namespace vitrain::job
