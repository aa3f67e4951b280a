#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/arguments.h"
#include "config/load.h"
#include "data/index.h"
#include "data/sampler.h"
#include "engine/job.h"
#include "launch/devices.h"

namespace vitrain::engine {

// The recipe's section as launch's plain options.
launch::DeviceRequest device_request(const config::DevicesConfig& devices);

// A job, checked as far as that is possible without starting it: recipe,
// devices, datasets, arithmetic, model, precision. Makes no torch call.
struct PreparedJob {
  Job job;
  std::vector<launch::DeviceSlot> devices;
  int cores = 1;
  std::unique_ptr<data::Index> train; // null when evaluating only
  std::unique_ptr<data::Index> eval;
  std::unique_ptr<const data::Sampler> sampler; // null when evaluating only
  // What to tell before the start, one sentence each.
  std::vector<std::string> notes;
  // The run that -resume means has all its steps.
  bool finished = false;
};

// Prepares what the command line asks for; nothing is written. Throws Error
// with everything that is wrong with the recipe.
PreparedJob prepare(
    const config::Arguments& arguments,
    const std::string& command_line,
    const std::string& version);

// Makes the run folder, starts the workers and waits for them. Returns the exit
// code of the run; errors are told on stderr.
int launch(PreparedJob& prepared);

// What -dry_run prints: the banner that the run would begin with.
std::string dry_run(const PreparedJob& prepared);

} // namespace vitrain::engine
