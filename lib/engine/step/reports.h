#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/rules/timeline.h"
#include "dist/group/traffic.h"
#include "engine/step/metrics.h"

// The reports that a Reporter receives.
namespace vitrain::engine {

// Sums of one worker since the last report.
struct OwnReport {
  double loss_sum = 0.0;
  std::int64_t correct1 = 0;
  std::int64_t count = 0; // samples
  double seconds = 0.0; // training time, without evaluations and checkpoints
  double data_wait = 0.0; // fraction of the time spent waiting for data
  std::int64_t comm_bytes = 0; // bytes per step sent in collectives
  double comm_wait = 0.0; // fraction of the time spent waiting for collectives
};

// Seconds of a worker's steps, the mean since the last report.
struct StepTimes {
  double step = 0.0; // without evaluations and checkpoints
  double data = 0.0; // waiting for data
  double exchange = 0.0; // waiting for collectives
};

// Sums over all workers of the steps since the last report, if nothing else is
// said.
struct TrainReport {
  std::int64_t step = 0; // number of optimizer steps completed in the run
  std::int64_t epoch = 0; // from 1
  double loss_sum = 0.0;
  std::int64_t correct1 = 0;
  std::int64_t correct5 = 0;
  std::int64_t count = 0; // samples
  double lr = 0.0; // of the last step
  std::int64_t steps = 0; // since the last report
  double seconds = 0.0; // training time, mean over the workers
  double data_wait = 0.0; // fraction of the time spent waiting for data
  // Per step and worker: bytes sent in collectives, seconds that steps waited
  // for them, and seconds during which gradients were being exchanged.
  std::int64_t comm_bytes = 0;
  double comm_seconds = 0.0;
  double comm_busy_seconds = 0.0;
  std::int64_t dropped = 0; // gradients dropped as too stale, over all workers
  dist::Staleness stale{}; // of the applied gradients of all workers
  std::int64_t replaced = 0; // samples used in place of bad ones
  std::int64_t bad_samples = 0; // different bad samples since the run began
  std::int64_t image_warnings = 0; // defects that decoders worked around
  std::int64_t clipped_images = 0; // images whose values were clipped
  // Norm of the gradients before clipping in the last update
  // (TrainStep::gradient_norm()), not finite if that changed no weights; with a
  // loss scale, the norm in the last update that changed weights; nullopt if
  // there was no update in the run.
  std::optional<double> grad_norm{};
  // Fraction of weights that train.prune set to zero; nullopt: off.
  std::optional<double> sparsity{};
  // Scale after the step; nullopt if the loss is not scaled.
  std::optional<double> loss_scale{};
  // Hash of the samples since the last report: 16 hexadecimal digits, equal in
  // two runs if they had the same samples at the same positions of their global
  // batches.
  std::string samples_hash;
  OwnReport own{}; // this worker's part
  std::vector<StepTimes> workers{}; // by rank; empty: a single one
};

// The result of an evaluation.
struct Evaluated {
  const char* weights = "raw"; // or "ema": the average of the weights
  bool judged = true; // true: checkpoint.metric judges these weights
  EvalCounts counts;
  std::int64_t subset = 0; // classes that could be predicted; 0: all
  double seconds = 0.0;
};

// Length of a run, for the progress line.
struct RunLength {
  std::int64_t epochs = 0;
  config::Timeline timeline; // empty for an evaluation
  std::int64_t total_steps = 0;
};

} // namespace vitrain::engine
