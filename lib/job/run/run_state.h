#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/rules/plan.h"
#include "config/sections/recipe.h"
#include "core/text/json.h"
#include "data/sources/index.h"
#include "job/job.h"
#include "models/spec.h"

namespace vitrain::job {

// The best evaluation so far, by checkpoint.metric.
struct Best {
  double value = 0.0;
  std::int64_t step = -1; // -1: none yet
  std::int64_t worse = 0; // evaluations since then, none of which was better
  std::string metric_name; // judged_by(); "" in checkpoints of older versions

  // Takes the result of the evaluation after step `at`.
  void take(Metric metric, double found, std::int64_t at);
};

// Returns true if checkpoint.metric is measured on the averaged weights.
bool judges_average(const config::Recipe& recipe);

// Returns the criterion of the best checkpoint: checkpoint.metric, and "ema" if
// it is measured on the average: `top1`, `loss, ema`.
std::string judged_by(const config::Recipe& recipe);

// Whether `value` is better than `best` (smaller for the loss, else larger; NaN
// never is).
bool improves(Metric metric, double value, const Best& best);

// State of schedule.name: plateau, as torch's ReduceLROnPlateau with
// threshold_mode `rel`.
struct Plateau {
  std::optional<double> best; // none yet
  std::int64_t bad = 0; // evaluations since then or since the last drop
  std::int64_t drops = 0; // of the learning rate

  // Takes the value of an evaluation.
  void
  take(Metric metric, double value, std::int64_t patience, double threshold);
};

// Number of steps with a non-finite gradient norm after which the run
// continued.
struct NonFiniteSteps {
  std::int64_t in_a_row = 0; // up to now
  std::int64_t in_all = 0;
};

// Progress of a run, besides weights and optimizer; everything else is computed
// from the step.
struct RunState {
  std::int64_t step = 0; // optimizer steps made
  Best best;
  Plateau plateau{};
  NonFiniteSteps non_finite{};

  // read_saved_state() reads it.
  Json to_json() const;

  // Sets the metric for the best checkpoint. Returns true if it was another one
  // before: the former best is discarded, the schedule's drops are kept.
  bool judge_by(const std::string& metric);
};

// Facts that must agree between a checkpoint and the run that resumes it,
// because the samples of a step and the meaning of weights depend on them.
struct RunIdentity {
  std::string model;
  std::string network; // sizes of the model that its name leaves open
  std::int64_t num_classes = 0;
  std::string optimizer; // optim.name, and whether it has momentum
  std::int64_t seed = 0;
  std::int64_t global_batch = 0;
  std::int64_t train_samples = 0;
  std::string train_fingerprint; // hexadecimal
  std::string sampler; // data.sampler.policy
  std::string train_labels{}; // hexadecimal: Index::label_fingerprint()
  std::string train_folder{}; // printable: Index::absolute_folder()
  std::string batches{}; // that stages change, and from which epoch on

  Json to_json() const;
  // Throws Error(kUsage) naming every field that differs, with both values, and
  // Error(kWeights) for one of another type.
  // Fields that the checkpoint's version of vitrain did not have are passed
  // over.
  void check_same(const Json& checkpoint, const std::string& path) const;
};

// The identity of a training job.
RunIdentity identity_of(
    const Job& job,
    const config::Plan& plan,
    const models::ModelSpec& spec,
    const data::Index& train);

} // namespace vitrain::job
