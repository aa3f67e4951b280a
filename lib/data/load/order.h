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
  bool shuffle = true;
  LastBatch last_batch = LastBatch::kDrop;
  std::uint64_t seed = 0;
  // For kTorch and kShardThenShuffle, if the samples cannot be divided equally
  // among the workers: true drops the remainder; false fills the shares up with
  // the first samples. Applies before batches are formed. nullopt: true exactly
  // if last_batch is kDrop.
  std::optional<bool> drop_tail;
  bool drops_tail() const {
    return drop_tail.value_or(last_batch == LastBatch::kDrop);
  }
  // For kRepeated. `repeats`: uses of each sample, at least 1. `round`: rounds
  // the samples of an epoch down to a multiple of this if there are at least
  // that many; 0: no rounding.
  double repeats = 3.0;
  std::int64_t round = 256;
  // For kWeighted: one weight per sample, not negative, not all zero.
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

// Returns vitrain's own orders: `global`, `sequential`, `weighted` (one lane
// each) and `shard_then_shuffle` (one lane per worker).
// options/sampler_policy.h defines them.
std::unique_ptr<const Order> make_own_order(
    std::int64_t samples,
    const SamplerOptions& options,
    const BatchGeometry& geometry);

// Returns the orders of other frameworks: `torch`, `paddle`, `repeated`. One
// lane per worker. Caches the two epochs used last, 8 bytes per position.
std::unique_ptr<const Order> make_reference_order(
    std::int64_t samples,
    const SamplerOptions& options,
    const BatchGeometry& geometry);

} // namespace vitrain::data
