#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/load_recipe.h"
#include "job/run/job.h"
#include "launch/processes/rendezvous.h"

namespace vitrain::job {

// A user's request to train or evaluate.
struct Request {
  JobMode mode = JobMode::kTrain;
  config::LoadRequest recipe;
  std::optional<std::string> resume; // "auto", a checkpoint, or a run folder
  bool take_over = false; // take over the run from the process that writes it
  bool dry_run = false;
  // With several machines: this machine's rank, and the master's address.
  std::optional<std::int64_t> node_rank;
  std::optional<launch::HostPort> master;
  // True if a pod manager set the master address, which may become resolvable
  // minutes after other pods have started.
  bool managed = false;
  // Number of workers on this machine if the recipe does not set it.
  std::optional<int> workers;
  std::string command_line; // recorded in the run folder
  // Executable that becomes a worker when started with "--worker".
  std::filesystem::path worker_program = "/proc/self/exe";
  std::string version;
  std::vector<std::string> notes; // printed before the start
};

} // namespace vitrain::job
