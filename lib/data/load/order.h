#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/augment/draw.h"
#include "options/sampler_policy.h"

namespace vitrain::data {

struct SamplerOptions {
  SamplerPolicy policy = SamplerPolicy::kGlobal;
  // False: the dataset's order. kSequential and kWeighted ignore it.
  bool shuffle = true;
  LastBatch last_batch = LastBatch::kDrop;
  std::uint64_t seed = 0; // ignored by kPaddle and kRepeated
  // For kTorch and kShardThenShuffle, if the samples cannot be divided equally
  // among the workers: true drops the remainder; false fills the shares up with
  // the first samples (kTorch: of the shuffled order). Applies before batches
  // are formed. nullopt: true exactly if last_batch is kDrop.
  std::optional<bool> drop_tail;
  bool drops_tail() const {
    return drop_tail.value_or(last_batch == LastBatch::kDrop);
  }
  // For kRepeated. `repeats`: copies of each sample in the list that workers
  // share, at least 1, may be fractional; an epoch uses the list's beginning.
  // `round`: rounds the positions of an epoch, as many as samples, down to a
  // multiple of this if there are at least that many samples; 0: no rounding.
  double repeats = 3.0;
  std::int64_t round = 256;
  // For kWeighted: one weight per sample, finite, not negative, not all zero.
  std::vector<double> weights;
  // Recipe key of the batch size, for messages.
  std::string batch_key = "data.batch_size";
};

// Sizes that define the global batch G = per_device * world * accumulate; all
// at least 1.
struct BatchGeometry {
  std::int64_t per_device = 1;
  int world = 1;
  int accumulate = 1;

  // Number of micro-batches of a step over all workers.
  std::int64_t micro_batches() const {
    return static_cast<std::int64_t>(world) * accumulate;
  }
  std::int64_t global() const { return per_device * micro_batches(); }
};

inline std::int64_t divide_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

// The order of an epoch's draws: `lanes` lists of `length` draws, all
// different. A single lane is dealt to all workers step by step; with one lane
// per worker, worker r processes lane r. Thread-safe; every value is a pure
// function of the options and the arguments.
class Order {
 public:
  Order(std::int64_t lanes, std::int64_t length)
      : lanes_(lanes), length_(length) {}
  virtual ~Order() = default;

  std::int64_t lanes() const { return lanes_; }
  std::int64_t length() const { return length_; }

  // Writes the draws at positions [first, first + into.size()) of a lane to
  // `into`; first + into.size() <= length().
  virtual void take(
      std::int64_t epoch,
      std::int64_t lane,
      std::int64_t first,
      std::span<Draw> into) const = 0;

 private:
  std::int64_t lanes_;
  std::int64_t length_;
};

// Returns an order of vitrain's own policies: `global`, `sequential`,
// `weighted` (one lane each) or `shard_then_shuffle` (one lane per worker); see
// SamplerPolicy. Throws Error(kData) for unusable weights.
std::unique_ptr<const Order> make_own_order(
    std::int64_t samples,
    const SamplerOptions& options,
    const BatchGeometry& geometry);

// Returns an order of other frameworks' policies: `torch`, `paddle` or
// `repeated`. One lane per worker. Caches the even and the odd epoch used last,
// 8 bytes per position.
std::unique_ptr<const Order> make_reference_order(
    std::int64_t samples,
    const SamplerOptions& options,
    const BatchGeometry& geometry);

} // namespace vitrain::data
