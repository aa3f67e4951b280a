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

// What a person wants done, whichever way it was said.
struct Request {
  JobMode mode = JobMode::kTrain;
  config::LoadRequest recipe;
  std::optional<std::string> resume; // "auto", a checkpoint or a run folder
  bool take_over = false; // the run that `resume` means, from its writer
  bool dry_run = false;
  // Of several machines: which this is, and where to meet the others.
  std::optional<std::int64_t> node_rank;
  std::optional<launch::HostPort> master;
  // Whether a manager of pods has named the master, which may get its address
  // minutes later than others start.
  bool managed = false;
  // Workers of this machine where the recipe does not say how many.
  std::optional<int> workers;
  std::string command_line; // for the records
  // The executable that is a worker when it is started with "--worker".
  std::filesystem::path worker_program = "/proc/self/exe";
  std::string version;
  std::vector<std::string> notes; // to tell before the start
};

} // namespace vitrain::job
