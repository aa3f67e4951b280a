#pragma once

#include <cstdint>
#include <string>

#include "config/rules/plan.h"
#include "config/sections/recipe.h"
#include "trial/batch_search.h"
#include "trial/trial_run.h"

namespace vitrain::trial {

// What is to be tried.
struct Subject {
  config::Recipe recipe;
  config::Plan plan; // of the whole run
  std::int64_t epoch_samples = 0; // that the sampler has for an epoch's steps
  int workers = 1; // on this machine
  bool cuda = false;
  std::string devices; // "2 CPU workers with 1 thread each"
};

// Of the whole run, in seconds, by what a trial has measured.
struct Forecast {
  double training = 0.0;
  double evaluation = 0.0;
  double checkpoints = 0.0;
  double total() const { return training + evaluation + checkpoints; }
};
Forecast forecast(const config::Plan& plan, const Measured& measured);

// Makes `steps` steps with an evaluation of as many batches and a checkpoint,
// as many steps more after resuming from it, and looks for the largest batch
// that fits; says on stdout what it does and what it has found out. Nothing is
// left behind. Throws Error where any of that fails.
void try_recipe(const Subject& subject, std::int64_t steps);

} // namespace vitrain::trial
