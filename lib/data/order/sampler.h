#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "data/order/draw.h"
#include "data/order/order.h"

namespace vitrain::data {

// What one epoch does with the samples.
struct EpochCounts {
  std::int64_t distinct = 0; // used at least once
  std::int64_t dropped = 0; // not used
  std::int64_t repeated = 0; // uses beyond the first one of a sample
};

// What a run that goes on with other workers was doing: the epoch of its next
// step, the steps of it that have been made, and the geometry whose order it
// has.
struct BegunEpoch {
  std::int64_t epoch = 0;
  std::int64_t steps = 0;
  BatchGeometry geometry;
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
//
// Such lanes are other ones with other workers. An epoch that others have begun
// therefore keeps their order to its end: its steps take the samples that they
// would have taken, one share of B after another as with one lane.
// Thread-safe.
class Sampler {
 public:
  // Throws Error(kData) when there are no samples or weights that cannot be
  // used, Error(kUsage) when the samples do not make one step, or when an epoch
  // had another number of steps for those who began one. Requires the same
  // global batch of them.
  Sampler(
      std::int64_t samples,
      const SamplerOptions& options,
      const BatchGeometry& geometry,
      const std::optional<BegunEpoch>& begun = {});

  // Samples of the dataset.
  std::int64_t size() const { return samples_; }
  std::int64_t steps_per_epoch() const { return steps_; }
  // Uses of samples in an epoch of which every step is full: fewer than there
  // are samples where a policy leaves some out, whatever the batch, and more
  // where it repeats some.
  std::int64_t epoch_samples() const {
    return own_.order->lanes() * own_.order->length();
  }
  // The epoch that keeps the order of other workers; nothing: none does.
  std::optional<std::int64_t> begun_epoch() const;
  // Whose order an epoch has.
  const BatchGeometry& geometry_of(std::int64_t epoch) const {
    return dealt(epoch).geometry;
  }
  // Samples in a step over all workers: G, or less in the last step when the
  // rest is kept.
  std::int64_t samples_in_step(std::int64_t epoch, std::int64_t step_in_epoch)
      const;
  // The same of one worker.
  std::int64_t samples_of_worker(
      std::int64_t epoch,
      std::int64_t step_in_epoch,
      int rank) const;
  // The draws of micro-batch k, 0 <= k < world * accumulate. Shorter, or
  // empty, only in the last step when the rest is kept: with kMicro, each
  // worker has the same number of full micro-batches there, and the others are
  // empty. With padding, the positions after the last one of a lane are those
  // from its start.
  std::vector<Draw> micro_batch(
      std::int64_t epoch,
      std::int64_t step_in_epoch,
      std::int64_t k) const;
  // Of an epoch that these workers begin. Takes O(n) time with the policies
  // that can repeat a sample.
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
