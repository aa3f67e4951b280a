#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/json.h"
#include "options/metric.h"

namespace vitrain::config {
struct Plan;
struct Recipe;
} // namespace vitrain::config

namespace vitrain::data {
class Index;
} // namespace vitrain::data

namespace vitrain::models {
struct ModelSpec;
} // namespace vitrain::models

namespace vitrain::job {

struct Job;

// Best evaluation so far, by checkpoint.metric.
struct Best {
  double value = 0.0;
  std::int64_t step = -1; // -1: none yet
  // Evaluations after `step`, none of them better; with step -1, evaluations so
  // far (their value was NaN).
  std::int64_t worse = 0;
  std::string metric_name; // judged_by(); "" in checkpoints of older versions

  // Updates with the result of the evaluation after step `at`.
  void take(Metric metric, double found, std::int64_t at);
};

// True if checkpoint.metric is measured on the averaged weights.
bool judges_average(const config::Recipe& recipe);

// Returns the criterion of the best checkpoint: the name of checkpoint.metric,
// followed by ", ema" if judges_average().
std::string judged_by(const config::Recipe& recipe);

// True if `value` is better than `best` (smaller for the loss, larger for other
// metrics). NaN is never better; any other value is better than none (step -1).
bool improves(Metric metric, double value, const Best& best);

// State of schedule.name: plateau, as torch's ReduceLROnPlateau with
// threshold_mode `rel`.
struct Plateau {
  std::optional<double> best; // nullopt: no evaluation yet
  // Evaluations without improvement since the best one or the last drop.
  std::int64_t bad = 0;
  std::int64_t drops = 0; // reductions of the learning rate so far

  // Updates with the value of an evaluation. A value counts as better if it is
  // the first, or better than `best` by more than the fraction `threshold` of
  // `best`; NaN never does. Counts a drop when more than `patience` evaluations
  // in a row are not better.
  void
  take(Metric metric, double value, std::int64_t patience, double threshold);
};

// Counts of steps with a non-finite gradient norm that the run survived.
struct NonFiniteSteps {
  std::int64_t in_a_row = 0; // up to the current step
  std::int64_t in_all = 0;
};

// Progress of a run, besides weights, optimizer state and the other fields of
// SavedState.
struct RunState {
  std::int64_t step = 0; // completed optimizer steps
  Best best;
  Plateau plateau{};
  NonFiniteSteps non_finite{};

  // Read by read_saved_state().
  Json to_json() const;

  // Sets the metric of the best checkpoint (judged_by()). Returns true if
  // another one was set: then discards the best values of the checkpoint and of
  // the plateau schedule, but keeps the schedule's drops.
  bool judge_by(const std::string& metric);
};

// Facts that must agree between a checkpoint and the run that resumes it,
// because the samples of a step and the meaning of weights depend on them.
struct RunIdentity {
  std::string model;
  // Sizes that the model's name does not determine, and adapters (model.lora).
  std::string network;
  std::int64_t num_classes = 0;
  std::string optimizer; // optim.name, and whether it has momentum
  std::int64_t seed = 0;
  std::int64_t global_batch = 0;
  std::int64_t train_samples = 0;
  std::string train_fingerprint; // hexadecimal
  std::string sampler; // data.sampler.policy
  std::string train_labels{}; // hexadecimal: Index::label_fingerprint()
  std::string train_folder{}; // printable: Index::absolute_folder()
  // Global batch sizes after the first stage: "48 from epoch 3".
  std::string batches{};
  // For advice only, not recorded.
  bool split = false; // data.split holds samples out
  bool cuda = false;
  // Number of devices; 0 if the batch does not grow with it, or if there are
  // several machines.
  std::int64_t devices = 0;

  Json to_json() const;
  // Throws Error(kUsage) naming every field that differs, with both values;
  // Error(kWeights) if a field has the wrong type. Ignores fields that the
  // version of vitrain that wrote the checkpoint did not have.
  void check_same(const Json& checkpoint, const std::string& path) const;
};

// Returns the identity of a training job.
RunIdentity identity_of(
    const Job& job,
    const config::Plan& plan,
    const models::ModelSpec& spec,
    const data::Index& train);

} // namespace vitrain::job
