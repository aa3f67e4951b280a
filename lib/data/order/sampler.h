#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "data/order/draw.h"
#include "data/order/order.h"

namespace vitrain::data {

// Use of the samples in one epoch.
struct EpochCounts {
  std::int64_t distinct = 0; // used at least once
  std::int64_t dropped = 0; // not used
  std::int64_t repeated = 0; // uses beyond the first one of a sample
};

// Progress of an epoch begun with another worker count: the epoch of the next
// step, its completed steps, and the geometry of its order.
struct BegunEpoch {
  std::int64_t epoch = 0;
  std::int64_t steps = 0;
  BatchGeometry geometry;
};

// Samples of each step, in order: pure functions of (seed, epoch, step). Every
// worker has the same number of steps. Worker r computes the micro-batches k =
// r * A ... r * A + A - 1 of a step, A = accumulate.
//
// Policies with one lane (see Order): step s takes the positions [s * G,
// (s + 1) * G) of the epoch's order and its micro-batch k their share
// [k * B, (k + 1) * B), B = per_device, so that the samples of a step do not
// depend on the number of workers. With a lane per worker, step s of worker r
// takes the positions [s * B * A, (s + 1) * B * A) of lane r, B at a time.
//
// Such lanes depend on the number of workers. A partial epoch of another number
// of workers therefore keeps its order to its end: its steps take the samples
// that they would have taken, split into shares of B as with one lane.
// Thread-safe.
class Sampler {
 public:
  // Throws Error(kData) without samples or with unusable weights; Error(kUsage)
  // if the samples do not fill one step, or if the partial epoch had another
  // number of steps. Requires that its global batch was the same.
  Sampler(
      std::int64_t samples,
      const SamplerOptions& options,
      const BatchGeometry& geometry,
      const std::optional<BegunEpoch>& begun = {});

  // Samples of the dataset.
  std::int64_t size() const { return samples_; }
  std::int64_t steps_per_epoch() const { return steps_; }
  // Number of positions of an epoch: less than the number of samples if the
  // policy leaves some out, more if it repeats some.
  std::int64_t epoch_samples() const {
    return own_.order->lanes() * own_.order->length();
  }
  // Epoch that keeps the order of another worker count; nullopt: none.
  std::optional<std::int64_t> begun_epoch() const;
  // Geometry of an epoch's order.
  const BatchGeometry& geometry_of(std::int64_t epoch) const {
    return dealt(epoch).geometry;
  }
  // Samples in a step over all workers: G, or less in the last step when the
  // rest is kept.
  std::int64_t samples_in_step(std::int64_t epoch, std::int64_t step_in_epoch)
      const;
  // Number of samples of one worker.
  std::int64_t samples_of_worker(
      std::int64_t epoch,
      std::int64_t step_in_epoch,
      int rank) const;
  // The draws of micro-batch k, 0 <= k < world * accumulate. It is shorter or
  // empty only in the last step if the rest is kept: with kMicro each worker
  // has the same number of full micro-batches there, and further ones are
  // empty. With padding, a lane continues with its first positions after the
  // last one.
  std::vector<Draw> micro_batch(
      std::int64_t epoch,
      std::int64_t step_in_epoch,
      std::int64_t k) const;
  // Counts of an epoch that these workers begin. Takes O(n) time for policies
  // that may repeat a sample.
  EpochCounts counts(std::int64_t epoch) const;

 private:
  // An order, and the geometry that deals it.
  struct Dealt {
    BatchGeometry geometry;
    std::unique_ptr<const Order> order;

    std::int64_t lane_batch() const {
      return geometry.global() / order->lanes();
    }
    // Samples of a lane that one micro-batch of every worker takes.
    std::int64_t lane_micro_batch() const {
      return lane_batch() / geometry.accumulate;
    }
    std::int64_t steps(LastBatch last_batch) const;
  };

  void continue_epoch(const SamplerOptions& options, const BegunEpoch& begun);
  const Dealt& dealt(std::int64_t epoch) const {
    return begun_ && epoch == begun_epoch_ ? *begun_ : own_;
  }
  // Samples of a lane in one step.
  std::int64_t lane_samples_in_step(
      const Dealt& dealt,
      std::int64_t step_in_epoch) const;
  // The draws of a micro-batch of the geometry that the order was made for.
  std::vector<Draw> share_of_lane(
      const Dealt& dealt,
      std::int64_t epoch,
      std::int64_t step_in_epoch,
      std::int64_t k) const;

  std::int64_t samples_;
  SamplerPolicy policy_;
  LastBatch last_batch_;
  Dealt own_;
  std::int64_t steps_;
  std::optional<Dealt> begun_;
  std::int64_t begun_epoch_ = 0;
};

// Evaluation in the dataset's order: batch j of B consecutive samples goes to
// rank j % world; every sample is in exactly one batch. Pure functions.
class EvalSharding {
 public:
  EvalSharding(std::int64_t samples, std::int64_t batch, int world);

  // Number of batches over all ranks, and of one rank.
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
