#pragma once

#include <cstdint>
#include <vector>

namespace vitrain::data {

enum class SamplerPolicy { kGlobal, kSequential };
enum class LastBatch { kDrop, kKeep, kPad };

struct SamplerOptions {
  SamplerPolicy policy = SamplerPolicy::kGlobal;
  bool shuffle = true;
  LastBatch last_batch = LastBatch::kDrop;
  std::uint64_t seed = 0;
};

// Global batch G = per_device * world * accumulate; all at least 1.
struct BatchGeometry {
  std::int64_t per_device = 1;
  int world = 1;
  int accumulate = 1;

  std::int64_t micro_batches() const {
    return static_cast<std::int64_t>(world) * accumulate;
  }
  std::int64_t global() const { return per_device * micro_batches(); }
};

// What one epoch does with the samples.
struct EpochCounts {
  std::int64_t distinct = 0; // used at least once
  std::int64_t dropped = 0; // not used
  std::int64_t padded = 0; // extra uses, to fill the last step
};

// Which samples a step takes, in which order: pure functions of (seed, epoch,
// step), so that the samples of a step do not depend on the number of workers.
// Step s takes the positions [s * G, (s + 1) * G) of the epoch's order; its
// micro-batch k takes their share [k * B, (k + 1) * B), B = per_device, and
// worker r computes micro-batches r * A ... r * A + A - 1, A = accumulate.
// Thread-safe.
class Sampler {
 public:
  // Throws Error(kData) when there is not one step in the samples.
  Sampler(
      std::int64_t samples,
      const SamplerOptions& options,
      const BatchGeometry& geometry);

  std::int64_t steps_per_epoch() const { return steps_; }
  // Samples in a step over all workers: G, or less in the last step when the
  // rest is kept.
  std::int64_t samples_in_step(std::int64_t step_in_epoch) const;
  // Sample indices of micro-batch k, 0 <= k < world * accumulate. Shorter, or
  // empty, only in the last step when the rest is kept. With padding, the
  // positions after the last one are those from the start of the epoch.
  std::vector<std::int64_t> micro_batch(
      std::int64_t epoch,
      std::int64_t step_in_epoch,
      std::int64_t k) const;
  EpochCounts counts() const;

 private:
  std::int64_t samples_;
  SamplerOptions options_;
  BatchGeometry geometry_;
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
