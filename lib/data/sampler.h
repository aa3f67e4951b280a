#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "data/draw.h"
#include "data/order.h"
#include "data/sampler_options.h"

namespace vitrain::data {

// What one epoch does with the samples.
struct EpochCounts {
  std::int64_t distinct = 0; // used at least once
  std::int64_t dropped = 0; // not used
  std::int64_t repeated = 0; // uses beyond the first one of a sample
};

// Which samples a step takes, in which order: pure functions of (seed, epoch,
// step). Every worker has the same number of steps. Worker r computes the
// micro-batches k = r * A ... r * A + A - 1 of a step, A = accumulate.
//
// Policies with one lane (see Order): step s takes the positions [s * G,
// (s + 1) * G) of the epoch's order and its micro-batch k their share
// [k * B, (k + 1) * B), B = per_device, so that the samples of a step do not
// depend on the number of workers. With a lane per worker, step s of worker r
// takes the positions [s * B * A, (s + 1) * B * A) of lane r, B at a time.
// Thread-safe.
class Sampler {
 public:
  // Throws Error(kData) when there are no samples or weights that cannot be
  // used, Error(kUsage) when the samples do not make one step.
  Sampler(
      std::int64_t samples,
      const SamplerOptions& options,
      const BatchGeometry& geometry);

  // Samples of the dataset.
  std::int64_t size() const { return samples_; }
  std::int64_t steps_per_epoch() const { return steps_; }
  // Samples in a step over all workers: G, or less in the last step when the
  // rest is kept.
  std::int64_t samples_in_step(std::int64_t step_in_epoch) const;
  // The same of one worker.
  std::int64_t samples_of_worker(std::int64_t step_in_epoch, int rank) const;
  // The draws of micro-batch k, 0 <= k < world * accumulate. Shorter, or
  // empty, only in the last step when the rest is kept. With padding, the
  // positions after the last one of a lane are those from its start.
  std::vector<Draw> micro_batch(
      std::int64_t epoch,
      std::int64_t step_in_epoch,
      std::int64_t k) const;
  // Takes O(n) time with the policies that can repeat a sample.
  EpochCounts counts(std::int64_t epoch) const;

 private:
  std::int64_t lane_batch() const {
    return geometry_.global() / order_->lanes();
  }
  // Samples of a lane in one step.
  std::int64_t lane_samples_in_step(std::int64_t step_in_epoch) const;
  std::vector<Draw> positions(
      std::int64_t epoch,
      std::int64_t lane,
      std::int64_t first,
      std::int64_t count) const;

  std::int64_t samples_;
  SamplerPolicy policy_;
  LastBatch last_batch_;
  BatchGeometry geometry_;
  std::unique_ptr<const Order> order_;
  std::int64_t steps_;
};

// Evaluation in the dataset's order: batch j of B consecutive samples goes to
// rank j % world; every sample is in exactly one batch. Pure functions.
class EvalSharding {
 public:
  EvalSharding(std::int64_t samples, std::int64_t batch, int world);

  // Batches over all ranks, and those of one rank.
  std::int64_t batches() const { return batches_; }
  std::int64_t batches_of(int rank) const;
  // Sample indices of the i-th batch of a rank: `batch` of them, or fewer in
  // the very last one.
  std::vector<std::int64_t> samples_of(int rank, std::int64_t i) const;

 private:
  std::int64_t samples_;
  std::int64_t batch_;
  int world_;
  std::int64_t batches_;
};

} // namespace vitrain::data
