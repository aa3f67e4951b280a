#pragma once

#include <cstdint>
#include <string>

#include "config/rules/plan.h"
#include "config/sections/recipe.h"
#include "verbs/batch_search.h"
#include "verbs/trial_run.h"

namespace vitrain::verbs {

// Recipe and data of a trial.
struct Subject {
  config::Recipe recipe;
  config::Plan plan; // plan of the whole run
  std::int64_t epoch_samples = 0; // samples per epoch of the sampler
  int workers = 1; // on this machine
  bool cuda = false;
  std::string devices; // "2 CPU workers with 1 thread each"
};

// Estimated seconds of the whole run, from a trial's measurements.
struct Forecast {
  double training = 0.0;
  double evaluation = 0.0;
  double checkpoints = 0.0;
  double total() const { return training + evaluation + checkpoints; }
};
Forecast forecast(const config::Plan& plan, const Measured& measured);

// Runs `steps` steps, an evaluation of `steps` batches and a checkpoint;
// resumes for another `steps` steps; then searches the largest batch that fits.
// Prints its actions and results. Removes its files. Throws Error if any of
// this fails, or if the run has fewer than 2 * `steps` steps.
void try_recipe(const Subject& subject, std::int64_t steps);

} // namespace vitrain::verbs
