#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "data/augment/draw.h"
#include "data/load/order.h"

namespace vitrain::data {

// How often an epoch uses the samples.
struct EpochCounts {
  std::int64_t distinct = 0; // samples used at least once
  std::int64_t dropped = 0; // samples not used
  std::int64_t repeated = 0; // uses of samples beyond their first one
};

// Progress of an epoch that was begun with another BatchGeometry: its number,
// its completed steps, and that geometry.
struct PartialEpoch {
  std::int64_t epoch = 0;
  std::int64_t steps = 0;
  BatchGeometry geometry;
};

// Assigns samples to the steps of an epoch. Pure functions of (seed, epoch,
// step). Every worker has the same number of steps. Worker r computes the
// micro-batches k = r * A ... r * A + A - 1 of a step, where A = accumulate.
//
// Policies with one lane (see Order): step s uses the positions [s * G, (s + 1)
// * G) of the epoch's order, and its micro-batch k the positions [k * B, (k +
// 1) * B) of these, where B = per_device. The samples of a step thus do not
// depend on the number of workers. With one lane per worker, step s of worker r
// uses the positions [s * B * A, (s + 1) * B * A) of lane r, B per micro-batch.
//
// The lanes of such policies depend on the number of workers (for kPaddle also
// on B), and the end of an epoch with LastBatch::kMicro on A. A partial epoch
// that was begun with other values of these therefore keeps its order until it
// ends: its steps use the samples that they would have used, split into
// micro-batches of B as with one lane. Thread-safe.
class Sampler {
 public:
  // Throws Error(kData) if there are no samples or the weights are unusable;
  // Error(kUsage) if the samples do not fill one step, or if an epoch has
  // another number of steps with the geometry of the partial epoch `begun`.
  // Requires that both geometries have the same global batch.
  Sampler(
      std::int64_t samples,
      const SamplerOptions& options,
      const BatchGeometry& geometry,
      const std::optional<PartialEpoch>& begun = {});

  // Number of samples in the dataset.
  std::int64_t size() const { return samples_; }
  std::int64_t steps_per_epoch() const { return steps_; }
  // Returns the number of positions in an epoch's order, over all workers and
  // with those at the end that LastBatch drops; for this geometry, even in
  // partial_epoch(). It is the number of samples, or what the policy rounds
  // that to (SamplerOptions::drop_tail, round). With kWeighted and kRepeated a
  // sample can have several positions or none.
  std::int64_t epoch_samples() const {
    return own_.order->lanes() * own_.order->length();
  }
  // Returns the number of the epoch that keeps the order of `begun`; nullopt if
  // there is none.
  std::optional<std::int64_t> partial_epoch() const;
  // Returns the geometry of an epoch's order.
  const BatchGeometry& geometry_of(std::int64_t epoch) const {
    return dealt(epoch).geometry;
  }
  // Returns the number of samples in a step over all workers: G, or less in the
  // last step if LastBatch keeps it incomplete.
  std::int64_t samples_in_step(std::int64_t epoch, std::int64_t step_in_epoch)
      const;
  // Returns the number of samples of one worker in a step.
  std::int64_t samples_of_worker(
      std::int64_t epoch,
      std::int64_t step_in_epoch,
      int rank) const;
  // Returns the draws of micro-batch k, 0 <= k < world * accumulate. It has
  // fewer than B draws, or none, only in the last step with kKeep or kMicro.
  // With kMicro each worker has the same number of full micro-batches in that
  // step, and its further ones are empty (not so in partial_epoch()). With kPad
  // a lane continues with its first positions after its last one.
  std::vector<Draw> micro_batch(
      std::int64_t epoch,
      std::int64_t step_in_epoch,
      std::int64_t k) const;
  // Returns the counts of a whole epoch with this geometry, even for
  // partial_epoch(). Takes O(n) time unless the policy is kGlobal or
  // kSequential.
  EpochCounts counts(std::int64_t epoch) const;

 private:
  // An order, and the geometry by which it is dealt to workers.
  struct Dealt {
    BatchGeometry geometry;
    std::unique_ptr<const Order> order;

    std::int64_t lane_batch() const {
      return geometry.global() / order->lanes();
    }
    // Samples that one micro-batch of every worker takes from a lane.
    std::int64_t lane_micro_batch() const {
      return lane_batch() / geometry.accumulate;
    }
    std::int64_t steps(LastBatch last_batch) const;
  };

  void continue_epoch(const SamplerOptions& options, const PartialEpoch& begun);
  const Dealt& dealt(std::int64_t epoch) const {
    return begun_ && epoch == begun_epoch_ ? *begun_ : own_;
  }
  // Returns the number of samples that one step takes from a lane.
  std::int64_t lane_samples_in_step(
      const Dealt& dealt,
      std::int64_t step_in_epoch) const;
  // Returns the draws of micro-batch k, counted by `dealt.geometry`.
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

// Assigns samples to workers for evaluation, in the dataset's order: batch j of
// B consecutive samples goes to rank j % world; every sample is in exactly one
// batch. Pure functions.
class EvalSharding {
 public:
  // Throws Error(kData) if there are no samples.
  EvalSharding(std::int64_t samples, std::int64_t batch, int world);

  // Return the number of batches of all ranks together, and of one rank.
  std::int64_t batches() const { return batches_; }
  std::int64_t batches_of(int rank) const;
  // Returns the sample indices of the i-th batch of a rank: `batch` of them, or
  // fewer in the last batch of the dataset.
  std::vector<std::int64_t> samples_of(int rank, std::int64_t i) const;

 private:
  std::int64_t samples_;
  std::int64_t batch_;
  int world_;
  std::int64_t batches_;
};

} // namespace vitrain::data
