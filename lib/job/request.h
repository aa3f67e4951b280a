#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/load/load_recipe.h"
#include "job/job.h"
#include "launch/nodes/rendezvous.h"

namespace vitrain::job {

// A user's request.
struct Request {
  JobMode mode = JobMode::kTrain;
  config::LoadRequest recipe;
  std::optional<std::string> resume; // "auto", a checkpoint or a run folder
  bool take_over = false; // the run that `resume` means, from its writer
  bool dry_run = false;
  // With several machines: this machine's rank, and the master's address.
  std::optional<std::int64_t> node_rank;
  std::optional<launch::HostPort> master;
  // True if a manager of pods has named the master, whose address may appear
  // minutes after other pods start.
  bool managed = false;
  // Number of workers of this machine if the recipe does not set it.
  std::optional<int> workers;
  std::string command_line; // for the records
  // The executable that is a worker when it is started with "--worker".
  std::filesystem::path worker_program = "/proc/self/exe";
  std::string version;
  std::vector<std::string> notes; // to print before the start
};

} // namespace vitrain::job
