#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/rules/timeline.h"
#include "dist/group/traffic.h"
#include "engine/eval/metrics.h"

// The reports that a Reporter receives.
namespace vitrain::engine {

// Sums of one worker since the last report.
struct OwnReport {
  double loss_sum = 0.0;
  std::int64_t correct1 = 0;
  std::int64_t count = 0; // samples
  double seconds = 0.0; // of training
  double data_wait = 0.0; // shares of them, waiting for data
  std::int64_t comm_bytes = 0; // per step, put into collectives
  double comm_wait = 0.0; // and waiting for those
};

// Sums over all workers of the steps since the last report.
struct TrainReport {
  std::int64_t step = 0; // optimizer steps made
  std::int64_t epoch = 0; // from 1
  double loss_sum = 0.0;
  std::int64_t correct1 = 0;
  std::int64_t correct5 = 0;
  std::int64_t count = 0; // samples
  double lr = 0.0; // of the last step
  std::int64_t steps = 0;
  double seconds = 0.0; // of a worker, their mean
  double data_wait = 0.0; // share of the time spent waiting for data
  // Per step and device: bytes put into collectives, seconds that steps waited
  // for them, and seconds during which gradients travelled.
  std::int64_t comm_bytes = 0;
  double comm_seconds = 0.0;
  double comm_busy_seconds = 0.0;
  std::int64_t dropped = 0; // gradients that came too late, over all workers
  dist::Staleness stale{}; // of the gradients of all workers that were applied
  std::int64_t replaced = 0; // samples that took the place of a bad one
  std::int64_t bad_samples = 0; // different ones, since the run began
  std::int64_t image_warnings = 0; // defects that decoders worked around
  std::int64_t clipped_images = 0; // images whose values were clipped
  // Norm in the last step that updated weights, before clipping; nullopt if
  // there was none.
  std::optional<double> grad_norm{};
  std::optional<double> sparsity{}; // share that train.prune has made zero
  std::optional<double> loss_scale{}; // after it, where the loss is scaled
  std::string samples_hash;
  OwnReport own{}; // this worker's part of it
};

// The result of an evaluation.
struct Evaluated {
  const char* weights = "raw"; // or "ema", their average
  bool judged = true; // checkpoint.metric is of these
  EvalCounts counts;
  std::int64_t subset = 0; // classes that could be predicted; 0: all
  double seconds = 0.0;
};

// Where a run is, as the progress line shows it.
struct RunLength {
  std::int64_t epochs = 0;
  config::Timeline timeline; // empty: of an evaluation
  std::int64_t total_steps = 0;
};

} // namespace vitrain::engine
